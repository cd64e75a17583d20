# A redis-server under load, every function of its program probed: ^C, and it answers, its code is its
# own, and it is as fast as before.
# needs: user
# timeout: 120
. tests/lib/lib.sh
. tests/lib/attach.sh
need redis-server redis-benchmark redis-cli

port=$((20000 + $$ % 20000))
redis-server --port $port --bind 127.0.0.1 --save '' --appendonly no --dir "$TMP" >"$TMP/redis" 2>&1 &
target=$!
waits_for "$TMP/redis" 'Ready to accept' "redis"

rate() { # requests a second
	redis-benchmark -p $port -n 40000 -c 10 -t get --csv 2>/dev/null | awk -F'"' '$2 ~ /GET/ { print int($4) }'
}
before=$(rate)

redis-benchmark -p $port -n 40000 -c 10 -t set,get -q >"$TMP/bench" 2>&1 &
load=$!
trace -qn 'BEGIN { printf("armed\n"); } pid$target:a.out::entry { @[probefunc] = count(); }' -x switchrate=20hz -p "$target"
traced
redis-benchmark -p $port -n 300 -c 2 -t set,get -q >"$TMP/bench2" 2>&1
end_trace
ends 0 "^C"
is "notices" "$(printf '%s' "$err" | grep -v 'left out' | head -3)" ""
n=$(awk '$1 == "processCommand" { print $2 }' "$TMP/out")
[ "${n:-0}" -ge 600 ] || fail "processCommand was called $n times"
is "PING" "$(redis-cli -p $port ping)" PONG
unharmed "$target" "redis"
wait $load
after=$(rate)
[ "$after" -gt $((before / 3)) ] || fail "$before requests a second before, $after after"
kill "$target"
target_ends "redis"
grep -q 'ready to exit' "$TMP/redis" || fail "redis: $(tail -3 "$TMP/redis")"
finish
