# Attached to, sampled and left: no system call comes back with an EINTR that the program has no signal for,
# also none for a signal that it ignores.
# needs: user
. tests/lib.sh
. tests/attach.sh

mkfifo "$TMP/tell"
"$TARGETS/blocked" <"$TMP/tell" >"$TMP/said" 2>&1 &
target=$!
exec 3>"$TMP/tell"
waits_for "$TMP/said" ready "the target"
for n in 1 2 3 4 5; do
	d -qn 'pid$target:libc.so.6::entry { @ = count(); } BEGIN { exit(0); }' -p "$target"
	ends 0 "round $n"
done
trace -qn 'BEGIN { printf("armed\n"); } profile-97 { @ = count(); } pid$target:::entry { }' -p "$target"
traced
for n in 1 2 3; do
	kill -URG "$target"
	kill -CHLD "$target"
	kill -WINCH "$target"
	sleep 0.05
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
