# -v prints a stability report for each program; -lv the attributes of each probe.
. tests/lib.sh

d -qvn 'dtrace:::BEGIN { exit(0); }'
ends 0 -v
is "report" "$(cat "$TMP/out")" "
Stability attributes for description dtrace:::BEGIN :

	Minimum Probe Description Attributes
		Identifier Names: Stable
		Data Semantics:   Stable
		Dependency Class: Common

	Minimum Statement Attributes
		Identifier Names: Stable
		Data Semantics:   Stable
		Dependency Class: Common
"
d -lvn dtrace:::BEGIN
is "list" "$out" "   ID   PROVIDER            MODULE                          FUNCTION NAME
    1     dtrace                                                     BEGIN

	Probe Description Attributes
		Identifier Names: Stable
		Data Semantics:   Stable
		Dependency Class: Common

	Argument Attributes
		Identifier Names: Stable
		Data Semantics:   Stable
		Dependency Class: Common

	Argument Types
		None"
finish
