# Memory of a target that nobody delivers (a userfaultfd without a server, FUSE without an answer):
# what reads it gets the fault invalid address after a bounded time, which is told once; the end
# is orderly, and the target runs on as it was.
# needs: root
# timeout: 300
. tests/lib/lib.sh

# reads WAY WHAT PROGRAM out|err PATTERN [OPTION]: a line of that stream matches
reads() {
	rm -f "$TMP/said" "$TMP/out" "$TMP/err" # of the last time, until the next begins to write
	"$TARGETS/silent" "$1" >"$TMP/said" &
	target=$!
	until_said "$TMP/said" '^round 2' $target || {
		wait $target
		skip "silent $1 cannot run: status $?"
	}
	"$DTRACE" -p $target ${6-} -n "$3" >"$TMP/out" 2>"$TMP/err" &
	front=$!
	until_said "$TMP/err" "pid $target: its memory at 0x[0-9a-f]* does not come (a userfaultfd" $front ||
		fail "$1, $2: nothing is said: $(head -n 4 "$TMP/err")"
	until_said "$TMP/$4" "$5" $front || fail "$1, $2: no $5 in $4"
	kill $front
	wait $front
	is "$1, $2: status" $? 0
	is "$1, $2: said once" "$(grep -c 'does not come' "$TMP/err")" 1
	round=$(tail -n1 "$TMP/said")
	is "$1, $2: tracer" "$(sed -n 's/TracerPid:[[:space:]]*//p' "/proc/$target/status")" 0
	is "$1, $2: text" "$(text $target "$TARGETS/silent")" same
	tries=0
	while [ "$(tail -n1 "$TMP/said")" = "$round" ] && [ $tries -lt 3000 ]; do
		sleep 0.02
		tries=$((tries + 1))
	done
	[ $tries -lt 3000 ] || fail "$1, $2: the target does not run on: $round"
	kill $target
	wait $target 2>/dev/null
}

for way in uffd fuse; do
	reads $way copyinstr 'pid$target:a.out:look:entry { trace(copyinstr(arg0)); }' err 'invalid address'
	reads $way ustack 'pid$target:a.out:there:entry { ustack(); }' out 'silent.there'
done
reads uffd copyout 'pid$target:a.out:look:entry { copyout("x", arg0, 1); }' err 'invalid address' -w
finish
