# counted.sh: what nettraffic makes and the kernel counts is as much as records of it come to, and none is read.
# shellcheck shell=sh
# The test has a function rows FILE: what is compared of an output, which is left in $TMP/numbers.

# both CLAUSES WHAT...: WHAT are nettraffic's arguments
both() {
	clauses=$1
	shift
	d -q -x claim=off -n "$clauses" -c "$TARGETS/nettraffic $*"
	ends 0 "of records: $clauses"
	rows "$TMP/out" >"$TMP/records"
	rm -f "$TMP/counted"
	d -v -o "$TMP/counted" -n "$clauses" -c "$TARGETS/nettraffic $*"
	ends 0 "counted: $clauses"
	like "$clauses" "$err" "*records read: * of perf events, 0 of BPF programs*"
	rows "$TMP/counted" >"$TMP/numbers"
	is "$clauses $*" "$(cat "$TMP/numbers")" "$(cat "$TMP/records")"
	[ -s "$TMP/numbers" ] || fail "nothing was counted: $clauses"
}
