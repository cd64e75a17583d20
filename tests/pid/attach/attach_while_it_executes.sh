# A process that executes one program after another, as fast as it can: the tracer comes at any moment, may
# find another program than it was about to probe, and leaves; the process ends as it would have.
# needs: user
# timeout: 120
. tests/lib/lib.sh
. tests/lib/attach.sh

cat >"$TMP/again" <<'END'
[ ! -e "$1" ] || exit 7
exec sh "$0" "$1"
END
sh "$TMP/again" "$TMP/stop" &
target=$!
round=0
while [ $round -lt 10 ]; do
	round=$((round + 1))
	d -Zqn 'pid$target:::entry { @ = count(); } tick-10ms { exit(0); }' -p "$target"
	ends 0 "round $round"
	# a thread that does not stop in so short a time is told of: it is about to execute
	is "words of round $round" "$(printf '%s\n' "$err" | grep -v "left out.*no thread of process $target stops")" ""
	grep -q '^TracerPid:	0$' "/proc/$target/status" || fail "round $round: it is still traced"
done
: >"$TMP/stop"
wait "$target"
is "its status" $? 7
target=
finish
