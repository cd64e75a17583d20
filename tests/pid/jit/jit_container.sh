# A program in mount and pid namespaces of its own: its perf map is where it sees it, by its own pid.
# needs: root
. tests/lib/lib.sh
need unshare mount
unshare -m -p -f true 2>/dev/null || skip "no namespaces here"

mkfifo "$TMP/go"
# the program comes along: this tree may lie in what the new /tmp hides
unshare -m -p -f sh -c "exec 3<>'$TMP/go' 4<'$TARGETS/jitted'; mount -t tmpfs none /tmp
	cat <&4 >/tmp/jitted; chmod +x /tmp/jitted; read -r go <&3; exec /tmp/jitted 500 wait 4<&-" >"$TMP/program" &
outer=$!
tries=0
until inner=$(cat "/proc/$outer/task/$outer/children" 2>/dev/null) && [ "$inner" ] &&
	grep -q ' /tmp tmpfs ' "/proc/${inner% }/mounts" || [ $tries -gt 200 ]; do
	tries=$((tries + 1))
	sleep 0.02
done
inner=${inner% }
"$DTRACE" -qn 'BEGIN { printf("ready\n"); } pid$target:jit:jit_*:entry { @[probefunc] = count(); }
	pid$target:jit:jit_mul:entry /!n++/ { ustack(1); }' -p "$inner" >"$TMP/out" 2>"$TMP/err" &
tracer=$!
tries=0
until grep -q ready "$TMP/out" || [ $tries -gt 200 ]; do
	tries=$((tries + 1))
	sleep 0.02
done
echo >"$TMP/go"
wait $outer
is "status of the program" $? 0
wait $tracer
is "status" $? 0
like "it ran to its end" "$(cat "$TMP/program")" "jit_add 1000*"
is "counts" "$(sed 's| /x.js:[0-9]:1||' "$TMP/out" | awk 'NF == 2 { print }' | tr -s ' ' | sort)" " jit_add 1000
 jit_mul 500
 jit_sub 1000"
like "a name in a stack" "$(cat "$TMP/out" "$TMP/err")" '*jit`JS:~jit_mul /x.js:2:1*'
finish
