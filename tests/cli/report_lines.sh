# -x report=FILE.jsonl: a line of JSON for each aggregation and row, with what values are made of: from them
# Python computes what the lines of the run say, also of two runs added up.
# needs: user
# timeout: 60
. tests/lib/lib.sh

[ -x /usr/bin/python3 ] || skip "no python3"
program='BEGIN { i = 0; } tick-1ms /i < $1/ { this->v = i * 7 - 140; i++; @q["k\377"] = quantize(this->v);
	@l[i & 1] = lquantize(this->v, -20, 50, 7); @ll = llquantize(this->v, 10, 0, 3, 20); @a["x", 2] = avg(this->v);
	@s = stddev(this->v); @lo = min(this->v); @hi = max(this->v); @sum = sum(this->v); @c = count(); } tick-1ms /i == $1/ { exit(0); }'
for n in 41 60; do
	d -x report="$TMP/$n.jsonl" -qn "$program" "$n"
	ends 0 "$n"
	echo "$out" >"$TMP/$n.out"
done
/usr/bin/python3 -c '
import base64, json, sys
def run(path):
    lines = [json.loads(l) for l in open(path)]
    assert lines[0]["type"] == "run" and lines[-1]["type"] == "end" and len({l["run"] for l in lines}) == 1, lines[0]
    assert len(lines[0]["run"]) == 16 and lines[-1]["drops"] == 0
    assert lines[-1]["exit"] == 0 and lines[-1]["records"] == 1 and "targets" not in lines[0], lines[-1]
    assert 0.03e9 < lines[-1]["mono_ns"] - lines[0]["mono_ns"] < 60e9, (lines[0], lines[-1])
    assert lines[-1]["rows"] == sum(l["type"] == "row" for l in lines)
    return lines
a, b = run(sys.argv[1]), run(sys.argv[2])
assert a[0]["run"] != b[0]["run"]
def rows(lines, name):
    return [l for l in lines if l["type"] == "row" and l["agg"] == name]
aggs = {l["name"]: l for l in a if l["type"] == "agg"}
assert aggs["l"]["params"] == [-20, 50, 7] and aggs["ll"]["params"] == [10, 0, 3, 20] and aggs["a"]["params"] == [], aggs
assert [k["kind"] for k in aggs["a"]["keys"]] == ["string", "int"] and aggs["c"]["unit"] == "count", aggs["a"]
assert base64.b64decode(rows(a, "q")[0]["k"][0]["b64"]) == b"k\xff" and rows(a, "a")[0]["k"] == ["x", 2]
def values(n):
    return [i * 7 - 140 for i in range(n)]
both = values(41) + values(60)
def total(name, member):
    return sum(int(r[member]) for l in (a, b) for r in rows(l, name))
assert total("c", "raw") == 101 and total("sum", "raw") == sum(both) == total("a", "raw") and total("a", "n") == 101
squares = sum(int(r["sq"], 16) for l in (a, b) for r in rows(l, "s"))
assert squares == sum(v * v for v in both) and all(len(rows(l, "s")[0]["sq"]) == 32 for l in (a, b))
assert rows(a, "lo")[0]["raw"] == -140 and rows(b, "hi")[0]["raw"] == max(values(60))
for name, n in ("q", 41), ("l", 41), ("ll", 41):
    r = rows(a, name)
    assert sum(sum(x["b"].values()) + x["under"] + x["over"] for x in r) == n, r
l = {}
for x in rows(a, "l"):
    for k, v in x["b"].items():
        l[int(k)] = l.get(int(k), 0) + v
assert l == {k: sum(k <= v < k + 7 for v in values(41)) for k in range(-20, 50, 7)}, l
assert sum(x["under"] for x in rows(a, "l")) == sum(v < -20 for v in values(41))
' "$TMP/41.jsonl" "$TMP/60.jsonl" || fail "lines: $(cat "$TMP/41.jsonl")"

d -x report="$TMP/s.ndjson" -qn 'pid$target:a.out:leaf:entry { @[execname, ustack(3)] = count(); }' -c "$TARGETS/t 10 1 quiet"
/usr/bin/python3 -c '
import json, sys
lines = list(map(json.loads, open(sys.argv[1])))
modules = {l["name"]: l["id"] for l in lines if l["type"] == "module"}
assert modules == {"t": sys.argv[2]} and len([l for l in lines if l["type"] == "module"]) == 1, (modules, sys.argv[2])
rows = [r for r in lines if r["type"] == "row"]
assert [t["execname"] for t in lines[0]["targets"]] == ["t"] and lines[0]["targets"][0]["pid"] == lines[0]["pid"] > 1, lines[0]
assert sum(r["raw"] for r in rows) == 11 and all(r["k"][0] == "t" for r in rows), rows
assert all([f[:2] for f in r["k"][1]["s"]] == [["t", "leaf"], ["t", "work"], ["t", "thread_main"]] for r in rows), rows
assert all(r["k"][1]["p"] > 1 and r["k"][1]["s"][1][2] > 0 for r in rows), rows
' "$TMP/s.ndjson" "$(LC_ALL=C readelf -n "$TARGETS/t" | sed -n 's/.*Build ID: //p')" || fail "stacks: $(cat "$TMP/s.ndjson")"

# merging tells of another build of a module
sed 's/"run":"[0-9a-f]*"/"run":"00000000000000bb"/; /"type":"module"/s/"id":"[0-9a-f]*"/"id":"0123"/' "$TMP/s.ndjson" >"$TMP/other.jsonl"
d --merge "$TMP/s.ndjson" "$TMP/other.jsonl"
ends 0 "another build"
like "another build" "$err" "dtrace: t on * ($TMP/*) is another build than on * ($TMP/*): frames in it are the same by function and offset alone"
d --merge "$TMP/s.ndjson"
is "one build" "$err" ""
finish
