# Calls by a distance go to the hook at once, and are counted like all others: calls, jumps that leave, calls
# that another hook or a breakpoint stands on. Data that looks like one stays as it is. A child that is
# followed has computed for a while before any of its calls does.
# needs: user
. tests/lib/lib.sh
. tests/lib/attach.sh

by='fpid$target:a.out:f:entry'
start() {
	rm -f "$TMP/tell" "$TMP/said"
	mkfifo "$TMP/tell"
	"$TARGETS/direct" <"$TMP/tell" >"$TMP/said" 2>&1 &
	target=$!
	exec 3>"$TMP/tell"
	waits_for "$TMP/said" ready "the target"
}

run() { # run PROGRAM: 1,000 times each way, with what the target says in $said
	echo 1000 >"$TMP/in"
	rm -f "$TMP/out"
	"$DTRACE" -x fpidfallback=none -o "$TMP/out" -qn "$1" -c "$TARGETS/direct" <"$TMP/in" >"$TMP/said" 2>"$TMP/err" ||
		fail "$1: $(cat "$TMP/err")"
	said=$(echo $(cat "$TMP/said"))
	out=$(echo $(sort "$TMP/out"))
}

run "$by"' { @ = count(); }'
is "all come by a distance" "$said" \
	"ready f 7000 call other wide_call other jump other branch other first_call other none own done"
is "one way does not enter it" "$out" 6000

run "$by"', fpid$target:a.out:by_*:entry, fpid$target:a.out:by_*:return { @[probefunc, probename] = count(); }'
like "with hooks around the calls" "$said" "ready f 7000 call other wide_call other * none own done"
is "hooks around the calls" "$out" "$(for way in branch call first_call jump none pointer second wide_call; do
	echo "by_$way entry 1000"
	[ $way = pointer ] || echo "by_$way return 1000"
done | tr '\n' ' ')f entry 6000"

run "$by"', pid$target:a.out:by_call:8 { @[probefunc] = count(); }'
like "a breakpoint on the call" "$said" "ready f 7000 call own wide_call other *"
is "a breakpoint on the call" "$out" "by_call 1000 f 6000"

# in a process that runs; afterwards its code is its own
start
calls=0
for clause in '@ = count();' '@ = sum(arg0);' '@[ustack(2)] = count();'; do
	trace -x fpidfallback=none -n "$by { $clause @n = count(); } END { printa(\"calls %@u\n\", @n); }" -p "$target"
	waits_for "$TMP/err" 'fpid: .* hooked' "hooks"
	tell 10
	calls=$((calls + 70))
	waits_for "$TMP/said" "^f $calls$" "$clause"
	like "$clause" "$(echo $(tail -8 "$TMP/said"))" "f $calls call other wide_call other jump other branch other *"
	end_trace
	ends 0 "$clause"
	like "$clause" "$(echo $out)" "*calls 60*"
	unharmed "$target" "$clause"
done
exec 3>&-
wait "$target" || fail "the target ended with $?"
target=

rm -f "$TMP/tell" "$TMP/said" "$TMP/out"
mkfifo "$TMP/tell"
"$DTRACE" -Z -x follow -x fpidfallback=none -o "$TMP/out" -qn "$by"' { @ = count(); }' \
	-c "sh -c '$TARGETS/direct <$TMP/tell >$TMP/said; exit'" 2>"$TMP/err" &
tracer=$!
exec 3>"$TMP/tell"
calls=7
tell 1
waits_for "$TMP/said" "^f 7$" "a child"
waits_for "$TMP/said" done "a child"
like "the calls of a child that is young" "$(echo $(cat "$TMP/said"))" "ready f 7 call own wide_call own *"
until grep -q '^call other' "$TMP/said" || [ $calls -gt 10000000000 ]; do
	tell 2000000
	calls=$((calls + 14000000))
	waits_for "$TMP/said" "^f $calls$" "a child"
done
waits_for "$TMP/said" "^call other" "a child that has computed for a while"
exec 3>&-
wait "$tracer" || fail "-x follow: $(cat "$TMP/err")"
tracer=
is "the calls of a child, before and after" "$(echo $(cat "$TMP/out"))" "$((calls / 7 * 6))"
finish
