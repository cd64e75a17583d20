# Programs with very many clauses, probe descriptions, enumerators, members or operators are compiled
# in the time that their length is worth, or are refused at once.
. tests/lib/lib.sh

# many N FORMAT: FORMAT with the numbers 1 to N
many() {
	awk -v n="$1" -v f="$2" 'BEGIN { for (i = 1; i <= n; i++) printf f, i }'
}

compiles() {
	d -qes "$TMP/$1.d"
	ends 0 "$1"
	is "$1: errors" "$err" ""
}

many 100000 'tick-%ds { i++; }\n' >"$TMP/clauses.d"
compiles clauses
{ many 100000 'tick-%dms,\n' && echo 'BEGIN { i++; }'; } >"$TMP/descriptions.d"
compiles descriptions
{ echo 'enum e { E0' && many 100000 ', E%d' && echo ' }; BEGIN { trace(E100000); exit(0); }'; } >"$TMP/enumerators.d"
compiles enumerators
{ echo 'struct s {' && many 100000 'int m%d; ' && echo '}; BEGIN { trace(sizeof(struct s)); exit(0); }'; } >"$TMP/members.d"
compiles members
d -qs "$TMP/enumerators.d"
is "the last enumerator" "$out" "100000"
d -qs "$TMP/members.d"
is "the size of all members" "$out" "400000"
{ echo 'BEGIN { trace(pid' && many 200000 '+pid' && echo '); }'; } >"$TMP/chain.d"
d -qes "$TMP/chain.d"
ends 1 "a chain of operators"
is "a chain of operators" "$err" "dtrace: failed to compile script $TMP/chain.d: line 2: program is nested too deeply"
finish
