# A process of one thread that stands at a signal when it is let go: the memory for slots is taken away
# all the same, and the signal arrives with all that it carries.
# needs: user
. tests/lib/lib.sh
. tests/lib/attach.sh

mkfifo "$TMP/tell"
"$TARGETS/queued" <"$TMP/tell" >"$TMP/said" 2>&1 &
target=$!
exec 3>"$TMP/tell"
waits_for "$TMP/said" ready "the target"

round=0
while [ $round -lt 20 ]; do
	round=$((round + 1))
	d -qn 'pid$target:::entry { n++; } tick-10ms /n > 20/ { exit(0); }' -p "$target" 3>&-
	ends 0 "round $round"
	unharmed "$target" "round $round"
done
exec 3>&-
target_ends
grep -q '^sent \([0-9]*\) got \1 wrong 0$' "$TMP/said" || fail "signals: $(tail -1 "$TMP/said")"
finish
