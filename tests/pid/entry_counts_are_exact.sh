# Counts of entry probes equal the program's own counters, with one thread and with eight, for every
# kind of executable.
# needs: user
# timeout: 120
. tests/lib/lib.sh

compare() { # compare PROGRAM ROUNDS THREADS
	d -qn 'pid$target:a.out::entry { @[probefunc] = count(); }' -o "$TMP/agg" -c "$TARGETS/$1 $2 $3"
	ends 0 "$1 $2 $3"
	counts "$TMP/out" >"$TMP/own"
	# only the functions that the program counts
	counts "$TMP/agg" | awk 'NR == FNR { own[$1]; next } $1 in own' "$TMP/own" - >"$TMP/traced"
	diff "$TMP/own" "$TMP/traced" >"$TMP/diff" || fail "$1 $2 $3: (< the program's, > ours)
$(cat "$TMP/diff")"
	[ -s "$TMP/own" ] || fail "$1: printed no counters: $err"
	rm -f "$TMP/agg"
}

compare t 5000 1
compare t 1000 8
compare t-nopie 500 2
compare t-static 500 2
compare t-static-pie 500 2
finish
