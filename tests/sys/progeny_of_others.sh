# Whose descendant a process is, is known without a look at /proc for each event: events of others do not hold up ours.
# Where records are still read when the run is over, nobody looks at them any more.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf

# one that is no descendant makes 20,000 records; what the engine itself reads meanwhile says the kernel
"$DTRACE" -qn 'BEGIN { printf("ready\n"); } fsinfo:::read /progenyof($1)/ { n++; } fsinfo:::read /args[0]->fi_bcount == 7717/ { all++; }
	fsinfo:::delete /args[0]->fi_name == "it_is_over"/ { printf("%d %d\n", n, all); exit(0); }' $$ >"$TMP/out" 2>"$TMP/err" &
front=$!
until_said "$TMP/out" ready $front || fail "no run: $(cat "$TMP/err")"
reads() {
	awk '/^syscr/ { print $2 }' "/proc/$engine/io"
}
engine=$(engine_of $front)
before=$(reads)
setsid -f sh -c "dd if=/dev/zero of=/dev/null bs=7717 count=20000 2>/dev/null; : >$TMP/it_is_over; rm $TMP/it_is_over"
until grep -q '[0-9] [0-9]' "$TMP/out" || ! kill -0 $front 2>/dev/null; do
	now=$(reads)
	[ -z "$now" ] || after=$now
done
wait $front
is "reads that others have made" "$(awk 'NF == 2 { print $2 }' "$TMP/out")" 20000
[ "$((after - before))" -lt 5000 ] || fail "the engine has read $((after - before)) times"

# the first record ends it: the others are not looked at
d -v -n 'fsinfo:::read /pid == $target && args[0]->fi_bcount == 1/ { exit(0); }' -c "dd if=/dev/zero of=$TMP/ones bs=1 count=100000"
like "records behind the end" "$err" "*records read: * of perf events, 1 of BPF programs*"
finish
