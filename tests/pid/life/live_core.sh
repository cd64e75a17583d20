# lkd() writes a core file of the process at the probe, without harm to it; its name is printed.
# needs: user
. tests/lib/lib.sh

cd "$TMP" || exit 1
d -n 'pid$target:a.out:leaf:entry /!n++/ { lkd(); lkd(2); }' -c "$TARGETS/t 2"
is "it is destructive" "$status $err" "1 dtrace: description 'pid\$target:a.out:leaf:entry ' matched 1 probe
dtrace: could not enable tracing: Destructive actions not allowed"

d -wqn 'pid$target:a.out:leaf:entry /!n++/ { lkd(); trace(" "); lkd(2); printf(" %d\n", pid); }' -c "$TARGETS/t 2"
ends 0 lkd
line=$(grep '^core' "$TMP/out")
pid=${line##* }
is "the names" "$line" "core.$pid.1 core.$pid.2 $pid"
like "the program went on" "$out" "*work 1*"
for n in 1 2; do
	[ -s "core.$pid.$n" ] || fail "no core.$pid.$n"
	is "nobody else may read it" "$(stat -c %a "core.$pid.$n")" 600
done
[ "$(stat -c %s "core.$pid.2")" -lt "$(stat -c %s "core.$pid.1")" ] || fail "the mini core is not smaller"
if command -v gdb >/dev/null 2>&1; then
	for n in 1 2; do
		gdb -q -batch -nx -ex bt -ex 'x/1bx $rip' "$TARGETS/t" "core.$pid.$n" >"$TMP/gdb" 2>/dev/null </dev/null
		like "its stack, and no breakpoint in its text" "$(cat "$TMP/gdb")" "*#0 *leaf (*#1 *work (*main (*"
		grep -q '0xcc' "$TMP/gdb" && fail "the core shows our breakpoint"
	done
fi

mkdir closed && cd closed && chmod 500 .
d -wqn 'pid$target:a.out:leaf:entry /!n++/ { printf("["); lkd(); printf("]\n"); }' -c "$TARGETS/t 2"
if [ "$(id -u)" != 0 ]; then
	ends 0 "no room for a core"
	like "why not" "$err" "dtrace: lkd( ): no core of process *: core.*.1: Permission denied"
	like "no name" "$out" "*[[][]]*"
fi
d -wqn 'tick-10ms { lkd(); } ERROR { trace(arg4); exit(0); }'
is "a probe without a traced process" "$status $(echo "$out" | head -1)" "0 3"
cd "$TMP" && chmod 700 closed
finish
