# Probes on code made at run time: armed when it appears, in all its tiers; what takes its place
# ends them; nothing is written where no code is (the target checks).
# needs: user
# timeout: 120
. tests/lib/lib.sh

d -qn 'pid$target:jit:jit_*:entry { @[probefunc] = count(); }' -c "$TARGETS/jitted 500 wait" -o "$TMP/agg"
ends 0 "jitted"
like "it ran to its end" "$out" "jit_add 1000*"
is "counts" "$(sed 's| /x.js:[0-9]:1||' "$TMP/agg" >"$TMP/short"; counts "$TMP/short")" "jit_add 1000
jit_mul 500
jit_sub 1000"
d -qn 'pid$target:jit:jit_add:entry { @ = sum(arg1); }' -c "$TARGETS/jitted 500 wait" -o "$TMP/sum"
is "one function, its arguments" "$(tr -d ' \n' <"$TMP/sum")" 3000
d -qn 'pid$target:jit:jit_*: { @[probefunc, probename] = count(); }
	pid$target:jit:jit_sub:return { @off[arg0] = count(); @value = max((int)arg1); }' \
	-c "$TARGETS/jitted 500 wait" -o "$TMP/returns"
ends 0 "return"
is "returns, their offsets and results" "$(sed 's| /x.js:[0-9]:1||' "$TMP/returns" | grep . | sort | tr -s ' ')" " 6 1000
 996
 jit_add 0 1000
 jit_add 1 1000
 jit_add 4 1000
 jit_add 5 1000
 jit_add entry 1000
 jit_add return 1000
 jit_mul 0 500
 jit_mul 2 500
 jit_mul 5 500
 jit_mul entry 500
 jit_mul return 500
 jit_sub 0 1000
 jit_sub 2 1000
 jit_sub 4 1000
 jit_sub 6 1000
 jit_sub entry 1000
 jit_sub return 1000"
d -qn 'pid$target:jit:jit_*:4 { @[arg1] = count(); }' -c "$TARGETS/jitted 500 wait" -o "$TMP/offset"
is "an offset, in two functions" "$(grep . "$TMP/offset" | tr -s ' ')" " 3 2000"
d -x errtags -n 'pid$target:jit:jit_add:zz { @ = count(); }' -c "$TARGETS/jitted 5"
ends 1 "no name"
like "no name" "$err" "*: \[D_PROC_NAME\] 'zz' is an invalid probe name"
d -n 'pid$target:jit:jit_add:2 { @ = count(); }' -c "$TARGETS/jitted 5"
like "within an instruction" "$err" "*matched 0 probes*"

# What a runtime writes behind our byte, the target of a call or what is loaded, holds.
d -qn 'pid$target:jit:jit_patched: { @[probename] = count(); }' -c "$TARGETS/repatched 200 wait" -o "$TMP/patched"
is "code that is patched" "$out" "jit_patched 200
bad 0"
is "its instructions" "$(counts "$TMP/patched" | tr '\n' ' ')" "0 200 5 200 a 200 entry 200 return 200 "
d -n 'pid$target:jit:nosuch:entry { @ = count(); }' -c "$TARGETS/jitted 5"
ends 0 "code that never comes"
like "code that never comes" "$err" "*matched 0 probes*"

command -v node >/dev/null 2>&1 || finish
cat >"$TMP/hot.js" <<'END'
function hotAdd(a, b) { return a + b; }
let s = 0, n = 0;
function run() { for (let i = 0; i < 5000; i++) s = hotAdd(s, i) | 0; }
function tick() { run(); if (global.gc) gc(); if (++n < 6) setTimeout(tick, 5); else console.log('sum', s); }
tick();
END
cd "$TMP" || exit # node writes its jitdump where it stands
# A jitdump is not written before two megabytes have come together: V8 itself tells of its records.
flags="--no-turbo-inlining --interpreted-frames-native-stack"
for more in "--perf-basic-prof --no-opt" "--perf-basic-prof --expose-gc" "--perf-prof --no-opt" "--perf-prof --expose-gc"; do
	rm -f "$TMP/node"
	d -qn 'pid$target:jit:*hotAdd*:entry { @ = count(); } BEGIN { printf("%d\n", $target); }' \
		-c "node $flags $more $TMP/hot.js" -o "$TMP/node"
	ends 0 "node $more"
	rm -f "/tmp/perf-$(head -1 "$TMP/node").map"
	like "its output" "$out" "*sum 74985000*"
	got=$(sed 1d "$TMP/node" | tr -d ' \n')
	# a call that changes to another tier enters both
	[ "${got:-0}" -ge 30000 ] && [ "$got" -le 30010 ] || fail "node $more: $got of 30000 calls"
done
finish
