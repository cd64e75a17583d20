# A semaphore is not 0 exactly while one of its probes is enabled: after we have gone in whatever way
# the program sees 0 again.
# needs: user
. tests/lib/lib.sh
. tests/lib/attach.sh

start_usdt() {
	: >"$TMP/said"
	mkfifo "$TMP/tell"
	"$TARGETS/usdt" 1000 wait <"$TMP/tell" >"$TMP/said" 2>&1 &
	target=$!
	exec 3>"$TMP/tell"
}

# says N: the program's next answer
rounds=0
says() {
	printf x >&3
	rounds=$((rounds + 1))
	i=0
	until [ "$(wc -l <"$TMP/said")" = $rounds ] || [ $i -gt 2000 ]; do
		i=$((i + 1))
		sleep 0.01
	done
	is "$2" "$(tail -1 "$TMP/said")" "open $1"
}

start_usdt
says 0 "before"
trace -qn 'BEGIN { printf("armed\n"); } shop$target:::open { @ = count(); }' -p $target
traced
says 1 "while we are there"
"$DTRACE" -qn 'BEGIN { exit(0); } shop$target:::open { }' -p $target >/dev/null 2>&1
end_trace
says 0 "after ^C"
unharmed $target "after ^C"

trace -qn 'BEGIN { printf("armed\n"); } shop$target:::constants { @ = count(); }' -p $target
traced
says 0 "another probe is enabled"
end_trace

trace -qn 'BEGIN { printf("armed\n"); } shop$target:::open { }
	shop$target:::open /0/ { }' -p $target
traced
says 1 "enabled twice"
kill -9 $tracer
wait $tracer 2>/dev/null
tracer=
i=0
until grep -q '^TracerPid:	0$' /proc/$target/status || [ $i -gt 500 ]; do
	i=$((i + 1))
	sleep 0.01
done
says 0 "after kill -9 of the front"

trace -qn 'BEGIN { printf("armed\n"); } shop$target:::open { }' -p $target
traced
says 1 "once more"
kill -9 "$(engine_of $tracer)"
wait $tracer 2>/dev/null
tracer=
says 0 "after kill -9 of the engine"

printf quit >&3
exec 3>&-
kill -9 $target
wait $target 2>/dev/null
target=

# A child that is let go is not listened to.
d -qn 'shop$target:::open { @ = count(); } END { printa("%@d\n", @); }' -o "$TMP/agg" \
	-c "$TARGETS/usdt 4 fork"
is "a forked child" "$out" "open 1
open 1
open 0
open 0"
is "its firings" "$(grep . "$TMP/agg")" 2
d -x follow -qn 'shop$target:::open { @ = count(); } END { printa("%@d\n", @); }' -o "$TMP/agg2" \
	-c "$TARGETS/usdt 4 fork"
is "a followed child" "$out" "open 1
open 1
open 1
open 1"
is "its firings" "$(grep . "$TMP/agg2")" 4
finish
