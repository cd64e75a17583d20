# Clauses that a running program runs itself: exact, in threads that were there before, also when signals
# interrupt them; the program's code and mappings are what they were afterwards.
# needs: user
# timeout: 120
. tests/lib/lib.sh
. tests/lib/attach.sh

maps_of() {
	awk '{ print $1, $2, $6 }' "/proc/$1/maps"
}

start_waits 8
tell run 10
waits_for "$TMP/said" 'calls 80$' "the first round"
maps_of "$target" >"$TMP/maps.before"
for round in 1 2 3; do
	trace -n 'self long n; fpid$target:a.out:count_me:entry { self->n = self->n + 1; @e[tid % 2] = count(); @q = quantize(self->n); @t[tid] = max(self->n); }
		fpid$target:a.out:count_me:return /self->n > 0/ { @r = count(); self->n = self->n - 1; }
		fpid$target:libc.so.6::entry { @l = sum(arg0 & 1); }' -p "$target"
	waits_for "$TMP/err" 'fpid: .* hooked' "hooks"
	tell run 20000
	waits_for "$TMP/said" "calls $((80 + round * 160000))\$" "the traced round"
	end_trace
	ends 0 "round $round"
	is "round $round: calls" "$(echo "$out" | awk 'NF == 2 && ($1 == 0 || $1 == 1) { n += $2 } END { print n }')" 160000
	is "round $round: returns" "$(echo "$out" | awk 'NF == 1 && $1 == 160000 { n++ } END { print n }')" 1
	maps_of "$target" >"$TMP/maps"
	cmp -s "$TMP/maps.before" "$TMP/maps" || fail "mappings differ: $(diff "$TMP/maps.before" "$TMP/maps") $err"
	"$TARGETS/textcheck" "$target" >"$TMP/text" || fail "text differs: $(head -3 "$TMP/text")"
done

# handlers that hit the same aggregations in between
d -qn 'fpid$target:a.out:step:entry, fpid$target:a.out:handler:entry { @[probefunc] = count(); @s[probefunc] = sum(1); @k[arg0 & 3] = sum(1); @all = stddev(2); }
	fpid$target:a.out:handler:entry { @n = lquantize(arg0, 0, 64, 64); }
	END { printa("%s %@d\n", @); printa("sum %s %@d\n", @s); printa("key %@d\n", @k); }' -o "$TMP/agg" -c "$TARGETS/storm 300000"
ends 0 "signals"
handled=$(awk '$1 == "handler" { print $2 }' "$TMP/out")
is "handled" "$(awk '$1 == "handler" { print $2 }' "$TMP/agg")" "$handled"
is "handled, summed" "$(awk '$2 == "handler" { print $3 }' "$TMP/agg")" "$handled"
awk '$1 == "step" || $1 == "handler" { n += $2 } $1 == "key" { k += $2 } END { exit n == 0 || n != k }' "$TMP/agg" ||
	fail "keys lost values: $(cat "$TMP/agg")"
finish
