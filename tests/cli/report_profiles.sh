# -x report=FILE.pb.gz and .speedscope.json: stacks for pprof and speedscope. Decoded here by the rules of the
# formats, and read by `go tool pprof` where it is installed: same totals as the folded form.
# needs: user
# timeout: 90
. tests/lib/lib.sh

[ -x /usr/bin/python3 ] || skip "no python3"
d -x report="$TMP/x.pb.gz" -x report="$TMP/x.speedscope.json" -x report="$TMP/x.folded" -qn \
	'fpid$target:a.out::entry { @calls[execname, ustack(10), arg0 & 1] = count(); @q = quantize(arg0); }' -c "$TARGETS/t 1000 2 quiet"
ends 0 "profiles"
like "profiles: what is left out" "$err" "*report $TMP/x.pb.gz: @q (quantize) left out*"
/usr/bin/python3 -c '
import gzip, json, sys
def varint(b, i):
    v = s = 0
    while True:
        v |= (b[i] & 127) << s
        s += 7
        i += 1
        if b[i - 1] < 128:
            return v, i
def fields(b):
    i = 0
    while i < len(b):
        tag, i = varint(b, i)
        assert tag & 7 in (0, 2), tag
        v, i = varint(b, i)
        if tag & 7 == 2:
            v, i = b[i:i + v], i + v
        yield tag >> 3, v
def packed(b):
    i, out = 0, []
    while i < len(b):
        v, i = varint(b, i)
        out.append(v)
    return out
folded = {}
for line in open(sys.argv[3]):
    frames, value = line.rstrip("\n").rsplit(" ", 1)
    folded[frames] = int(value)
total = sum(folded.values())
top = list(fields(gzip.open(sys.argv[1]).read()))
strings = [v.decode() for f, v in top if f == 6]
assert strings[0] == "", strings[:3]
functions = {dict(fields(v))[1]: strings[dict(fields(v))[2]] for f, v in top if f == 5}
mappings = {dict(fields(v))[1]: strings[dict(fields(v))[5]] for f, v in top if f == 3}
assert mappings[1] == "t", mappings
locations = {}
for f, v in top:
    if f == 4:
        loc = dict(fields(v))
        locations[loc[1]] = functions[dict(fields(loc[4]))[1]]
kind = [dict(fields(v)) for f, v in top if f == 1]
assert [(strings[k[1]], strings[k[2]]) for k in kind] == [("calls", "count")], kind
seen = {}
for f, v in top:
    if f != 2:
        continue
    sample = list(fields(v))
    ids = packed(dict(sample)[1])
    labels = {strings[dict(fields(x))[1]]: dict(fields(x)) for k, x in sample if k == 3}
    assert strings[labels["execname"][2]] == "t", labels
    key = ";".join(["t"] + [locations[i] for i in reversed(ids)] + [str(labels["key3"].get(3, 0))])
    seen[key] = seen.get(key, 0) + sum(packed(dict(sample)[2]))
assert seen == folded, (set(seen.items()) ^ set(folded.items()))
s = json.load(open(sys.argv[2]))
p = s["profiles"][0]
assert p["type"] == "sampled" and p["endValue"] == sum(p["weights"]) == total
names = [f["name"] for f in s["shared"]["frames"]]
seen = {}
for x, w in zip(p["samples"], p["weights"]):
    key = ";".join(names[i] for i in x)
    seen[key] = seen.get(key, 0) + w
assert seen == folded
assert {"name": "leaf", "file": "t"} in s["shared"]["frames"]
' "$TMP/x.pb.gz" "$TMP/x.speedscope.json" "$TMP/x.folded" || fail "profiles: $(cat "$TMP/x.folded")"

go=$(command -v go)
if [ -n "$go" ] && HOME=$TMP "$go" tool pprof -h >/dev/null 2>&1; then
	HOME=$TMP "$go" tool pprof -top "$TMP/x.pb.gz" >"$TMP/top" 2>&1 || fail "go tool pprof: $(cat "$TMP/top")"
	like "go tool pprof" "$(cat "$TMP/top")" "*File: t*Type: calls*of $(awk '{ n += $NF } END { print n }' "$TMP/x.folded") total*leaf*"
fi

# several aggregations by the same keys are several types of values; samples of time are samples and seconds
d -x report="$TMP/two.pb.gz" -x aggunit=bytes:bytes -qn 'pid$target:a.out:leaf:entry { @calls[ustack(5)] = count(); @bytes[ustack(5)] = sum(arg0 & 15); @n = sum(arg0 & 15); }' \
	-c "$TARGETS/t 100 1 quiet"
ends 0 "two types"
like "two types: what is left out" "$err" "dtrace: report $TMP/two.pb.gz: @n (sum) left out"
bytes=$(echo "$out" | tail -1 | tr -d ' ')
d -x report="$TMP/cpu.pb.gz" -qn 'profile-997 /pid == $target/ { @[ustack(5)] = count(); }' -c "$TARGETS/t 200000000 1 quiet"
ends 0 "samples"
gzip -dc "$TMP/cpu.pb.gz" >"$TMP/cpu.pb"
if [ -n "$go" ] && HOME=$TMP "$go" tool pprof -h >/dev/null 2>&1; then
	HOME=$TMP "$go" tool pprof -sample_index=calls -top "$TMP/two.pb.gz" >"$TMP/top" 2>&1
	like "two types: calls" "$(cat "$TMP/top")" "*Type: calls*of 110 total*"
	HOME=$TMP "$go" tool pprof -sample_index=bytes -unit=B -top "$TMP/two.pb.gz" >"$TMP/top" 2>&1
	like "two types: bytes" "$(cat "$TMP/top")" "*Type: bytes*of ${bytes}B total*"
	HOME=$TMP "$go" tool pprof -raw "$TMP/cpu.pb.gz" >"$TMP/raw" 2>&1
	like "samples: the period" "$(cat "$TMP/raw")" "*PeriodType: cpu nanoseconds*Period: 1003009*samples/count cpu/nanoseconds*"
	python3 - "$TMP/raw" <<'END' || fail "samples: $(head -20 "$TMP/raw")"
import re, sys
pairs = [(int(a), int(b)) for a, b in re.findall(r"^ +(\d+) +(\d+): [\d ]+$", open(sys.argv[1]).read(), re.M)]
assert pairs and all(b == 1003009 * a for a, b in pairs), pairs
END
fi

# every aggregation by stacks is a profile of speedscope, and so is each thread: its entries and returns, nested, from its first one
d -x report="$TMP/t.speedscope.json" -qn 'pid$target:a.out:leaf:entry, pid$target:a.out:leaf:return, pid$target:a.out:work:entry, pid$target:a.out:work:return { printf("tid %d\n", tid); }
	pid$target:a.out:leaf:entry { @bytes[ustack(3)] = sum(7); @n[ustack(3), tid] = count(); }' -c "$TARGETS/t 100 2 quiet"
ends 0 "slices"
like "slices: nothing is left out" "$err" ""
/usr/bin/python3 -c '
import json, sys
s = json.load(open(sys.argv[1]))
names = [f["name"] for f in s["shared"]["frames"]]
sampled, slices = [[p for p in s["profiles"] if p["type"] == t] for t in ("sampled", "evented")]
assert [(p["name"], p["endValue"], sum(p["weights"])) for p in sampled] == [("bytes", 1540, 1540), ("n", 220, 220)], sampled
assert {p["name"] for p in slices} == {"t " + l[4:-1] for l in open(sys.argv[2]) if l.startswith("tid ")}, [p["name"] for p in slices]
leafs = 0
for p in slices:
    stack, last = [], 0
    assert p["unit"] == "nanoseconds" and p["startValue"] == 0 and p["events"][0]["at"] == 0 and p["events"][-1]["at"] == p["endValue"] > 0
    for e in p["events"]:
        assert e["at"] >= last
        last = e["at"]
        if e["type"] == "O":
            stack.append(e["frame"])
        else:
            assert stack.pop() == e["frame"]
            leafs += names[e["frame"]] == "leaf"
    assert not stack
assert len(slices) == 2 and leafs == 220, (len(slices), leafs)
' "$TMP/t.speedscope.json" "$TMP/out" || fail "slices: $(head -c 2000 "$TMP/t.speedscope.json")"

# the same file of the same run
d -x report="$TMP/r.jsonl" -qn 'pid$target:a.out:leaf:entry { @[ustack(5)] = count(); }' -c "$TARGETS/t 10 1 quiet"
for form in pb.gz html speedscope.json svg; do
	d --merge "$TMP/r.jsonl" -x report="$TMP/m1.$form"
	d --merge "$TMP/r.jsonl" -x report="$TMP/m2.$form"
	if [ "$form" = html ]; then # it says when, and by which command
		sed -i '/<dt>written/d;/<dt>command/d;/^"run":/d' "$TMP/m1.$form" "$TMP/m2.$form"
	fi
	cmp "$TMP/m1.$form" "$TMP/m2.$form" || fail "two times the same: $form"
done

d -x report="$TMP/e.pb.gz" -x report="$TMP/e.speedscope.json" -qn 'BEGIN { @ = count(); exit(0); }'
ends 0 "no stacks"
gzip -t "$TMP/e.pb.gz" || fail "no stacks: gzip"
/usr/bin/python3 -c 'import json, sys; assert json.load(open(sys.argv[1]))["profiles"] == []' "$TMP/e.speedscope.json" || fail "no stacks: json"
finish
