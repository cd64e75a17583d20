# -lv lists the attributes and argument types of each probe.
. tests/lib/lib.sh

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

# Without a description as well the libraries say what args[] are.
"$DTRACE" -lv 2>/dev/null </dev/null | sed -n '/ proc  *vmlinux  *create$/,/args/p' >"$TMP/proc"
[ ! -s "$TMP/proc" ] || like "proc:::create" "$(tail -1 "$TMP/proc")" "*args[[]0]: psinfo_t [*]"
finish
