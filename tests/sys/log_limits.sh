# -x logmax, logring and logcompress with values of all kinds and at full size: what is refused, how large the file is, that what it says
# of itself is so, and that perf and -E read the same of it.
# needs: root
# timeout: 120
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need perf python3

for value in logmax=-1 logmax=abc logmax= logmax=99999999t logring logring= logring=abc logring=-5s logring=30 logring=10hz logcompress=abc; do
	d -E "$TMP/none.data" -x $value -n 'syscall:::entry { }'
	ends 1 "$value"
	like "$value" "$err" "*failed to set -x ${value%%=*}: Invalid value for specified option: *; allowed: *"
	[ ! -e "$TMP/none.data" ] || fail "$value: there is a file"
done

# logged HOW...: what it says of the file is so, perf script has as many events, and -E as well
logged() {
	how=$*
	rm -f "$TMP/x.data"
	# all of a run find room before any is read: the machine may hold us up
	"$DTRACE" -E "$TMP/x.data" -x kernelbuf=64m "$@" -n 'syscall:::entry { }' -c "$TARGETS/getppids 200000" >"$TMP/out" 2>"$TMP/why"
	is "$how: its status" $? 0
	said=$(cat "$TMP/why")
	events=$(echo "$said" | sed -n 's/^dtrace: \([0-9]*\) events are in .*/\1/p')
	like "$how: its size" "$said" "*$events events are in $TMP/x.data, $(stat -c %s "$TMP/x.data") bytes*"
	is "$how: perf script" "$(perf script -i "$TMP/x.data" -F event 2>"$TMP/perf" | grep -c sys_enter)" "$events"
	[ ! -s "$TMP/perf" ] || fail "$how: perf script: $(cat "$TMP/perf")"
	is "$how: -E" "$("$DTRACE" -qE "$TMP/x.data" -n 'syscall:::entry { n++; } END { printf("%d", n); }' 2>&1)" "$events"
}
ends_full() {
	like "$how: it ends" "$said" "*$TMP/x.data is as large as option logmax lets it be, and the run has ended: [1-9]* events that came meanwhile are not in it*"
}
span_ms() {
	"$DTRACE" -qE "$TMP/x.data" -n 'BEGIN { first = (int64_t)0; b = first; } syscall:::entry { first = first ? first : timestamp; b = timestamp; } END { printf("%d", (b - first) / 1000000); }'
}
data_size() { # of its records, by its head
	python3 -c 'import struct, sys; print(struct.unpack_from("<Q", open(sys.argv[1], "rb").read(104), 48)[0])' "$TMP/x.data"
}

logged
all=$events
[ "$all" -gt 200000 ] || fail "without a limit: $all events"
for value in 0 1t 999g; do
	logged -x logmax=$value
	[ "$events" -gt 200000 ] || fail "$how: $events events"
done
for value in 1 1k 4095; do
	logged -x logmax=$value
	is "$how" "$events" 0
	ends_full
done
for value in 1m 1234567 4m; do # what tells of processes is written all the same
	logged -x logmax=$value
	ends_full
	bytes=$(case $value in *m) echo $((${value%m} << 20)) ;; *) echo "$value" ;; esac)
	size=$(data_size)
	[ "$size" -le $((bytes + 100000)) ] && [ "$size" -gt $((bytes - 400000)) ] || fail "$how: $size bytes of records"
done
logged -x logmax=200k -x logcompress
ends_full
logged -x logcompress=off
logged -x logcompress=on
[ "$events" -gt 200000 ] || fail "$how: $events events"
for value in 1ns 1us; do
	logged -x logring=$value
	is "$how" "$events" 0
done
for value in 99999d 0; do
	logged -x logring=$value
	[ "$events" -gt 200000 ] || fail "$how: $events events"
done
logged -x logring=50ms
[ "$events" -gt 0 ] && [ "$events" -lt "$all" ] && [ "$(span_ms)" -le 50 ] || fail "$how: $events events in $(span_ms) ms"
for how in off on; do
	logged -x logring=10s -x logmax=2m -x logcompress=$how
	like "$how" "$said" "*is as large as option logmax lets it be: [1-9]* earlier events are not in it*"
	[ "$events" -gt 0 ] && [ "$events" -lt "$all" ] || fail "$how: $events events"
done
finish
