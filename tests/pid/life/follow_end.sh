# How a run with -x follow ends: with the last of the descendants, or when we are told to; then they live on,
# as they were, and only the programs of -c are ended.
# needs: user
. tests/lib/lib.sh
. tests/lib/attach.sh

need bash
child=
end_child() {
	[ -z "$child" ] || kill -9 "$child" 2>/dev/null
	end_attach
}
trap end_child EXIT

# A daemon outlives the program of -c: the run waits for it.
d -x follow -qn 'pid$target:libc.so.6:_exit:entry { @[pid == $target] = count(); }
	END { printa("%d %@d\n", @); }' -c "sh -c '(sleep 0.3) & :'"
ends 0 "a daemon"
is "a daemon" "$(printf '%s\n' "$out" | sort | grep .)" "0 1
1 1"

# -p: the child of a shell that calls kill(2) all the time.
# shellcheck disable=SC2016
busy='read -r x; (while :; do kill -0 $$; done) & echo child $!; read -r x; kill $!; wait $!; echo ended $?'
start bash -c "$busy"
trace -x follow -qn 'BEGIN { printf("armed\n"); }
	pid$target:libc.so.6:kill: /pid != $target && n++ == 2000/ { printf("busy\n"); }' \
	-x switchrate=50hz -p $target
traced
tell go
waits_for "$TMP/said" child "the child"
child=$(awk '{ print $2 }' "$TMP/said")
waits_for "$TMP/out" busy "hits of the child"
end_trace
ends 0 "^C with -p"
unharmed $target "the target"
unharmed "$child" "its child"
tell end
wait $target
is "the child's end" "$(tail -1 "$TMP/said")" "ended 143"
child=
target=

# -c: the program is ended, its child is not.
exec 3>&-
# shellcheck disable=SC2016
trace -x follow -qn 'BEGIN { printf("armed\n"); }
	pid$target:libc.so.6:kill:entry /pid != $target && n++ == 2000/ { printf("busy %d\n", pid); }' \
	-x switchrate=50hz -c "bash -c '(while :; do kill -0 1; done) & wait'"
waits_for "$TMP/out" busy "hits of the child"
child=$(awk '/busy/ { print $2 }' "$TMP/out")
parent=$(awk '/^PPid/ { print $2 }' "/proc/$child/status")
end_trace
ends 0 "^C with -c"
[ ! -e "/proc/$parent" ] || fail "the program of -c still runs"
unharmed "$child" "the child of -c"
kill "$child"
child=

# exit() too, and the sudden death of the front.
for how in exit front; do
	rm -f "$TMP/out"
	stop=
	[ $how = front ] || stop='exit(0);'
	trace -x follow -qn 'pid$target:libc.so.6:kill:entry /pid != $target && n++ == 500/ {
		printf("busy %d\n", pid); '"$stop"' }' \
		-x switchrate=50hz -c "bash -c '(while :; do kill -0 1; done) & wait'"
	waits_for "$TMP/out" busy "hits of the child"
	child=$(awk '/busy/ { print $2 }' "$TMP/out")
	parent=$(awk '/^PPid/ { print $2 }' "/proc/$child/status")
	[ $how = exit ] || kill -9 $tracer
	wait $tracer 2>/dev/null
	tracer=
	until_let_go "$child" "the child after $how"
	unharmed "$child" "the child after $how"
	kill "$child"
	[ $how = exit ] || kill -9 "$parent"
	child=
done
finish
