# Attached to, sampled and left: no system call comes back with an EINTR that the program has no signal for,
# also none for a signal that it ignores.
# needs: user
. tests/lib/lib.sh
. tests/lib/attach.sh

start_ready "$TARGETS/blocked"
for n in 1 2 3 4 5; do
	d -qn 'pid$target:libc.so.6::entry { @ = count(); } BEGIN { exit(0); }' -p "$target"
	ends 0 "round $n"
done
trace -qn 'BEGIN { printf("armed\n"); } profile-97 { @ = count(); } pid$target:::entry { }' -p "$target"
traced
# One after the other: a second one, while the first is dealt with, wakes another thread, whose call
# ends without a stop when the first thread takes both. That is how the kernel does it for tracers.
for sig in URG CHLD WINCH URG CHLD WINCH; do
	kill -$sig "$target"
	i=0
	until grep -q 'State:	S' "/proc/$target/status" && grep -q 'ShdPnd:	0*$' "/proc/$target/status"; do
		i=$((i + 1))
		[ $i -lt 1000 ] || break
		sleep 0.01
	done
done
end_trace
ends 0 "^C"
unharmed "$target" "afterwards"
exec 3>&-
wait "$target" || fail "the target ended with $?"
is "what came back" "$(cat "$TMP/said")" "ready $target
left 0"
target=
finish
