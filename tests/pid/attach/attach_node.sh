# node under `pid$target:a.out::entry`: some seventy thousand functions are armed while it works, and it is
# unharmed.
# needs: user
# timeout: 120
. tests/lib/lib.sh
. tests/lib/attach.sh
need node

node -e '
let n = 0;
setInterval(() => {
	let s = 0;
	for (let i = 0; i < 100; i++) s += JSON.stringify({ a: i, b: [1, 2, i] }).length;
	console.log("round", ++n, s);
}, 20);' >"$TMP/said" 2>&1 &
target=$!
waits_for "$TMP/said" 'round 3 ' node
begin=$(date +%s%N)
trace -n 'BEGIN { printf("armed\n"); } pid$target:a.out::entry { @ = count(); }' -x switchrate=50hz -p "$target"
traced
took=$((($(date +%s%N) - begin) / 1000000))
[ $took -lt 10000 ] || fail "it took $took ms to begin"
round=$(tail -1 "$TMP/said" | awk '{ print $2 }')
waits_for "$TMP/said" "round $((${round:-0} + 10)) " "node while it is traced"
end_trace
ends 0 "^C"
n=$(awk 'NF == 1 && $1 ~ /^[0-9]+$/ { print $1 }' "$TMP/out")
[ "${n:-0}" -gt 1000 ] || fail "counted $n"
unharmed "$target" node
last=$(tail -1 "$TMP/said" | awk '{ print $2 }')
waits_for "$TMP/said" "round $((last + 3)) 2080" "node afterwards"
! grep -v '^round [0-9]* 2080$' "$TMP/said" || fail "node said something else"
kill "$target"
wait "$target"
is "node's end" $? 143
target=
finish
