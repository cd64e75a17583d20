# Attached to and left many times while eight threads run through the probes: no breakpoint remains, no
# thread dies, every call is made. ATTACH_ROUNDS (60) says how often.
# needs: user
# timeout: 600
. tests/lib/lib.sh
. tests/lib/attach.sh

rounds=${ATTACH_ROUNDS-60}
start_waits 8
tell spin
n=0
while [ $n -lt "$rounds" ]; do
	n=$((n + 1))
	d -qn 'pid$target:a.out:count_me: { @ = count(); } tick-20ms { exit(0); }' -p "$target"
	[ "$status" = 0 ] || {
		fail "round $n: status $status: $err"
		break
	}
	"$TARGETS/textcheck" "$target" >"$TMP/text" || {
		fail "round $n: $(head -3 "$TMP/text")"
		break
	}
done
kill -0 "$target" 2>/dev/null || fail "the target died in round $n"
unharmed "$target" "after $n rounds"
end_waits
finish
