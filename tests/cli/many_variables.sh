# There are 65536 variables of each kind, less those of the language: one more is D_ID_OFLOW.
. tests/lib/lib.sh

program() { # program N: declares N variables
	awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print "int v" i ";"; print "BEGIN { exit(0); }" }' >"$TMP/many.d"
}
program 64256
d -qs "$TMP/many.d"
ends 0 "as many as there are"
program 64257
d -q -x errtags -s "$TMP/many.d"
ends 1 "one more"
is "one more" "$err" "dtrace: failed to compile script $TMP/many.d: [D_ID_OFLOW] line 64257: failed to declare 'v64256': too many variables"
finish
