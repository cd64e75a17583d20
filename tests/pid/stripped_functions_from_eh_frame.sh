# Functions of a stripped program are found in .eh_frame and named sub_<hex offset>.
# needs: user
. tests/lib/lib.sh

d -qn 'pid$target:a.out:sub_*:entry { @[probefunc] = count(); }' -o "$TMP/agg" -c "$TARGETS/t-stripped 100"
ends 0 "stripped"
# the program's counters and ours as multisets: names differ
counts "$TMP/out" | awk '{ print $2 }' | sort -n >"$TMP/own"
counts "$TMP/agg" | awk '{ print $2 }' | sort -n >"$TMP/traced"
while read -r n; do
	grep -qx "$n" "$TMP/traced" || fail "no function with $n calls:
$(cat "$TMP/agg")"
done <"$TMP/own"
finish
