# The sum of the values of a histogram, which metrics have beside its buckets: exact wherever the clause runs, in no line, and only while metrics or lines of JSON ask for it.
. tests/lib/lib.sh

need python3

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
ll_sum 70
neg_count 2
neg_sum 4'
grep -q '^# TYPE dtrace_lat histogram' "$TMP/h.prom" || fail "no histogram: $(cat "$TMP/h.prom")"
grep -q '^# TYPE dtrace_once_bucket untyped' "$TMP/h.prom" || fail "without a sum: $(cat "$TMP/h.prom")"
# lines of JSON have them, too: of this run and of one that prints them, whatever clear() and trunc() leave; merging adds them up, and has none where one row has none
# (values are lower bounds of buckets: what a row's sum is follows from its counts)
d -x report=ndjson:"$TMP/a" -x oformat=jsonl -x aggrate=10ms -qn 'BEGIN { @q["a"] = quantize(128); @q["a"] = quantize(256); @q["b"] = quantize(4); @l = lquantize(5, 0, 9, 1); clear(@l);
	trunc(@q, 1); i = 0; } tick-20ms { @q["b"] = quantize(4096); @l = lquantize(3, 0, 9, 1); printa(@q); } tick-20ms /i++ == 5/ { exit(0); }'
ends 0 "lines of JSON"
cp "$TMP/out" "$TMP/b.jsonl"
sed '0,/"agg":"q".*"sum":[0-9]*}/s/,"sum":[0-9]*}/}/' "$TMP/a" >"$TMP/c.jsonl"
sed '0,/"agg":"q".*"sum":[0-9]*}/s/,"sum":[0-9]*}/,"sum":"x"}/' "$TMP/a" >"$TMP/d.jsonl"
for other in a c.jsonl d.jsonl; do
	d --merge "$TMP/b.jsonl" "$TMP/$other" -x report="$TMP/b$other.prom" -x report="$TMP/b$other.jsonl"
	ends 0 "merged with $other"
done
python3 - "$TMP" <<'END' || fail "lines of JSON: $(cat "$TMP/a" "$TMP/b.jsonl")"
import json, sys
tmp = sys.argv[1] + "/"
def rows(name):
    last = {}
    for r in map(json.loads, open(tmp + name)):
        if r["type"] == "row":
            assert r["sum"] == sum(int(b) * n for b, n in r["b"].items()), r
            last[r["agg"], *r["k"]] = r["sum"]
    return last
a, b, both = (rows(f) for f in ("a", "b.jsonl", "ba.jsonl"))
assert a["l",] == 5 + 6 * 3 and a["q", "a"] == 384 and a["q", "b"] == 4 + 6 * 4096, a
assert b["l",] <= a["l",] and set(b) <= set(a), b
assert both == {k: a[k] + b.get(k, 0) for k in a}, both
END
grep -q '^dtrace_q_sum' "$TMP/ba.prom" || fail "merged: no sum"
for other in c d; do
	grep -q '^dtrace_l_sum' "$TMP/b$other.jsonl.prom" && ! grep -q '^dtrace_q_sum' "$TMP/b$other.jsonl.prom" || fail "one row has none: $(cat "$TMP/b$other.jsonl.prom")"
done
# two aggregations of one metric are refused before anything runs
d -x report="$TMP/x.prom" -qn 'BEGIN { @q = quantize(1); @q_sum = count(); exit(0); }' -c "touch $TMP/ran"
is "one metric" "$err" 'dtrace: @q_sum and @q would both be the metric dtrace_q_sum: give one of them another name'
ends 1 "one metric"
[ ! -e "$TMP/ran" ] || fail "one metric: the program has run"
d -x metrics=0 -qn 'BEGIN { @drops = count(); exit(0); }'
like "a metric of the run itself" "$err" '*@drops and dtrace itself would both be the metric dtrace_drops: *'
# values below 0 do not change what type a metric is; only OpenMetrics has no sum then, which could fall
for low in 1 -1; do
	d -x report="$TMP/low$low.prom" -qn "BEGIN { @q = quantize(3); @q = quantize($low); exit(0); }"
	grep '^# TYPE dtrace_q' "$TMP/low$low.prom" >>"$TMP/types"
done
is "types" "$(sort -u "$TMP/types")" "# TYPE dtrace_q histogram"
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
