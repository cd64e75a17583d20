# The sum of the values of a histogram, which metrics have beside its buckets: exact wherever the clause runs, in no line, and only while metrics ask for it.
. tests/lib/lib.sh

# sums of COUNT, SUM and labels in the file that a run has written
sums() {
	sed -n 's/^dtrace_\(.*_\(sum\|count\).*\)/\1/p' "$TMP/$1" | sort
}
cat >"$TMP/h.d" <<'END'
int n, m;
inline int next = m++;
BEGIN {
	@lat["a", 1] = quantize(100); @lat["a", 1] = quantize(300); @lat["b", 2] = quantize(7, 3);
	@lin = lquantize(25, 0, 100, 10); @lin = lquantize(5, 0, 100, 10, 2); @ll = llquantize(70, 10, 0, 3, 20);
	@neg = quantize(-5); @neg = quantize(9);
	@once[n++] = quantize(3); @also[1] = quantize(n += 2); @within[next] = quantize(1);
	exit(0);
}
END { printf("n %d %d\n", n, m); }
END
d -qs "$TMP/h.d"
ends 0 "plain"
plain=$out
d -qs "$TMP/h.d" -x report="$TMP/h.prom" -x report="$TMP/h.jsonl" -x report="$TMP/h.csv"
ends 0 "with metrics"
is "lines are the same" "$out" "$plain"
like "what does something is done once" "$out" "*n 3 1*"
is "sums" "$(sums h.prom)" 'lat_count{key1="a",key2="1"} 2
lat_count{key1="b",key2="2"} 3
lat_sum{key1="a",key2="1"} 400
lat_sum{key1="b",key2="2"} 21
lin_count 3
lin_sum 35
ll_count 1
ll_sum 70'
grep -q '^# TYPE dtrace_lat histogram' "$TMP/h.prom" || fail "no histogram: $(cat "$TMP/h.prom")"
grep -q '^# TYPE dtrace_neg_bucket untyped' "$TMP/h.prom" || fail "a sum that can fall: $(cat "$TMP/h.prom")"
is "no other form has them" "$(grep -c ' sum' "$TMP/h.jsonl" "$TMP/h.csv" | cut -d: -f2 | tr '\n' ' ')" "0 0 "
# rows beyond the limit are added up, sums as well
d -qx metricsmax=2 -x report="$TMP/m.prom" -n 'int i; tick-1ms /i < 5/ { @[i] = quantize(i); i++; } tick-1ms /i == 5/ { exit(0); }'
ends 0 "limit"
is "limit" "$(sums m.prom | grep overflow)" 'unnamed_count{overflow="true"} 3
unnamed_sum{overflow="true"} 9'

# where hooks are: counted in the target, by records, and by breakpoints the same
for how in "" "-x claim=off"; do
	d -qx report="$TMP/f.prom" $how -x fpidfull=wait -n 'fpid$target:a.out:leaf:entry { @l[probefunc] = quantize(arg0); }' -c "$TARGETS/t 2000 1 quiet"
	ends 0 "fpid $how"
	d -qx claim=off -x fpidfull=wait -n 'fpid$target:a.out:leaf:entry { @c = count(); @s = sum(arg0); }' -c "$TARGETS/t 2000 1 quiet"
	ends 0 "fpid, its sum"
	is "fpid $how" "$(sums f.prom | cut -d' ' -f2 | tr '\n' ' ')" "$(echo $out) "
done
finish
