# Code that a program makes at run time has the names its perf map gives: the latest line holds.
# needs: user
. tests/lib/lib.sh

d -qn 'profile-997 /arg1 != 0/ { @[ufunc(arg1)] = count(); } BEGIN { printf("%d\n", $target); }' \
	-c "$TARGETS/jitted 20000000 wait keep"
rm -f "/tmp/perf-$(head -1 "$TMP/out").map"
ends 0 "a perf map"
# which of them are caught is up to the clock
is "other names" "$(grep -o 'jit`[^ ]* [^ ]*' "$TMP/out" |
	grep -v 'JS:~jit_mul /x.js:2:1\|JS:\*jit_sub /x.js:3:1\|JS:\*jit_add /x.js:1:1')" ""
like "names" "$out" "*jit\`JS:*"
case $out in *'~jit_add'*) fail "the first function of that address: $out" ;; esac

command -v node >/dev/null 2>&1 || finish
cat >"$TMP/spin.js" <<'END'
function hotAdd(a, b) { let x = a; for (let i = 0; i < 2000; i++) x = (x * 31 + b + i) | 0; return x; }
function run() { let s = 0; for (let i = 0; i < 20000; i++) s = hotAdd(s, i) | 0; return s; }
let n = 0;
function tick() { run(); if (++n < 8) setTimeout(tick, 5); }
tick();
END
cd "$TMP" || exit # node writes its logs where it stands
d -qn 'BEGIN { printf("%d\n", $target); } profile-197 { @[ustack(3)] = count(); }' \
	-c "node --perf-basic-prof --no-turbo-inlining --interpreted-frames-native-stack $TMP/spin.js"
rm -f "/tmp/perf-$(head -1 "$TMP/out").map"
like "a stack of node" "$out" "*jit\`JS:\\*hotAdd $TMP/spin.js:1:16+0x*jit\`JS:\\*run *jit\`JS:?tick *"
d -qn 'profile-197 { @[ustack(3)] = count(); }' \
	-c "node --perf-prof --no-turbo-inlining --interpreted-frames-native-stack $TMP/spin.js"
like "names of a jitdump" "$out" "*jit\`JS:\\*hotAdd $TMP/spin.js:1:16+0x*jit\`JS:\\*run *jit\`JS:?tick *"
finish
