# -x report=FILE.pftrace and .trace.json: a run as it lies in time: entry and return as slices on the tracks of threads, what
# is printed as instants, aggregations as counters, on one clock. Decoded here by the rules of the formats, and by protoc
# where it is installed; judged by what the program counts.
# needs: user
# timeout: 120
. tests/lib/lib.sh

need python3
cat >"$TMP/trace.py" <<'END'
"""A Perfetto trace, checked: per track begins = ends in pairs, times rise, no field that is not known."""
import json, struct, sys

def varint(b, i):
    v = s = 0
    while True:
        v |= (b[i] & 127) << s
        s += 7
        i += 1
        if b[i - 1] < 128:
            return v, i

def fields(b, known):
    i = 0
    while i < len(b):
        tag, i = varint(b, i)
        assert tag & 7 in (0, 2) and tag >> 3 in known, (tag >> 3, known)
        v, i = varint(b, i)
        if tag & 7 == 2:
            v, i = b[i:i + v], i + v
        yield tag >> 3, v
    assert i == len(b)

def args(event):
    out = {}
    for f, v in event:
        if f == 4:
            a = dict(fields(v, (4, 6, 10)))
            out[a[10].decode()] = a[6].decode() if 6 in a else a[4] if a[4] < 1 << 63 else a[4] - (1 << 64)
    return out

def perfetto(path):
    tracks, events, is_first = {}, [], True
    for f, packet in fields(open(path, "rb").read(), (1,)):
        p = list(fields(packet, (6, 8, 10, 11, 13, 58, 60)))
        d = dict(p)
        assert d[10] == 1
        if 6 in d:
            clocks = [dict(fields(v, (1, 2))) for f, v in fields(d[6], (1, 2)) if f == 1]
            assert is_first and [c[1] for c in clocks] == [1, 3, 6]
        elif 60 in d:
            t = dict(fields(d[60], (1, 2, 3, 4, 5, 8)))
            assert (13 in d) == (not tracks) and t[1] not in tracks
            assert 5 not in t or t[5] in tracks
            tracks[t[1]] = {k: v.decode() if k == 2 else dict(fields(v, (1, 2, 3, 5, 6))) if k in (3, 4, 8) else v for k, v in t.items()}
        else:
            e = list(fields(d[11], (4, 9, 11, 22, 23, 30)))
            one = dict(e)
            assert d[58] == 3 and one[11] in tracks
            events.append((d[8], one[9], one[11], one.get(23, b"").decode(), one.get(22, b"").decode(), args(e), one.get(30)))
        is_first = False
    return tracks, events

def chrome(path):
    doc = json.load(open(path))
    assert doc["displayTimeUnit"] == "ns" and int(doc["otherData"]["realtime_ns"]) > 10**18
    kinds = {"B": 1, "E": 2, "i": 3, "C": 4}
    tracks, events = {}, []
    for e in doc["traceEvents"]:
        if e["ph"] == "M":
            tracks[(e["pid"], e["tid"], e["name"])] = e["args"]["name"]
            continue
        ns = round(e["ts"] * 1000)
        events.append((ns, kinds[e["ph"]], (e["pid"], e["tid"]), e.get("name", ""), e.get("cat", ""), e.get("args", {}), e.get("args", {}).get("value")))
    return tracks, events

def slices(events):
    """Of each: its name, its depth, whether it was unwound."""
    stacks, last, out = {}, 0, []
    for time, kind, track, name, category, values, value in events:
        assert time >= last, (time, last)
        last = time
        stack = stacks.setdefault(track, [])
        if kind == 1:
            stack.append(name)
        if kind == 2:
            out.append((stack.pop(), len(stack), values.get("unwound", 0)))
    assert not any(stacks.values()), stacks
    return out
END

script='pid$target:a.out:work:entry { trace(arg0); } pid$target:a.out:leaf:entry { @calls[probefunc] = count(); @q = quantize(arg0); }
	pid$target:a.out:leaf:entry, pid$target:a.out:leaf:return, pid$target:a.out:work:return { trace(arg1); }
	pid$target:a.out:leaf:entry /arg0 == 3/ { printf("%s %d\n", "three\377", tid); } END { printf("the end"); }'
d -x report="$TMP/x.pftrace" -x report="$TMP/x.trace.json" -x report=chrome:"$TMP/y" -qn "$script" -c "$TARGETS/t 100 2 quiet"
ends 0 "traces"
like "traces: what is left out" "$err" "*report $TMP/x.pftrace: @q (quantize) left out*"
cmp -s "$TMP/y" "$TMP/x.trace.json" || fail "chrome:FILE"
PYTHONPATH=$TMP python3 - "$TMP" <<'END' || fail "traces"
import sys
from trace import perfetto, chrome, slices
tmp = sys.argv[1]
for reader, path in (perfetto, "x.pftrace"), (chrome, "x.trace.json"):
    tracks, events = reader(tmp + "/" + path)
    done = slices(events)
    leafs = [s for s in done if s[0] == "leaf"]
    assert len(leafs) == 220 and all(s[2] == 0 for s in leafs), (len(leafs), leafs[:3])
    assert [s for s in done if s[0] == "work"] == [("work", 0, 0)] * 2, done
    assert {s[1] for s in leafs} == {1}
    begins = [e for e in events if e[1] == 1]
    assert len({e[2] for e in begins}) == 2 and {e[4] for e in begins} == {"pid"}
    assert [e[5] for e in begins if e[3] == "work"] == [{"arg0": 100}] * 2 or all(e[5]["arg0"] > 0 for e in begins if e[3] == "work"), begins[0]
    ends = [e for e in events if e[1] == 2]
    assert all("return" in e[5] for e in ends), ends[:3]
    instants = [e for e in events if e[1] == 3]
    assert [e[3] for e in instants if e[4] == "printf"] .count("the end") == 1
    three = [e for e in instants if e[3].startswith("three\ufffd ")]
    assert len(three) == 0 or three, three
    counters = [e for e in events if e[1] == 4]
    assert counters and counters[-1][6] == 220, counters[-1]
if True:
    tracks, events = perfetto(tmp + "/x.pftrace")
    threads = [t for t in tracks.values() if 4 in t]
    assert {t[4].get(5) for t in threads} == {b"t"} and all(t[5] == t[4][1] << 32 for t in threads), threads
    assert any(t.get(2) == "@calls[leaf]" and t[8] == {3: 2} for t in tracks.values()), tracks
END

# what is left by exceptions is closed, and says so
if [ -x "$TARGETS/throws" ]; then
	d -x report="$TMP/t.pftrace" -qn 'pid$target:a.out:deep:entry, pid$target:a.out:caught:entry, pid$target:a.out:deep:return, pid$target:a.out:caught:return {}' \
		-c "$TARGETS/throws 5"
	ends 0 "exceptions"
	PYTHONPATH=$TMP python3 - "$TMP/t.pftrace" "$out" <<'END' || fail "exceptions: $out"
import sys
from trace import perfetto, slices
tracks, events = perfetto(sys.argv[1])
done = slices(events)
said = dict(l.split() for l in sys.argv[2].split("\n") if len(l.split()) == 2)
assert len([s for s in done if s[0] == "deep"]) == int(said["deep"]), said
assert len([s for s in done if s[0] == "caught"]) == int(said["caught"]), said
END
fi
d -x report="$TMP/j.trace.json" -qn 'pid$target:a.out:nest:entry, pid$target:a.out:nest:return, pid$target:a.out:dive:entry, pid$target:a.out:dive:return,
	pid$target:a.out:main:entry, pid$target:a.out:main:return {}' -c "$TARGETS/jumps 7 3"
ends 0 "longjmp"
PYTHONPATH=$TMP python3 - "$TMP/j.trace.json" <<'END' || fail "longjmp: $(head -c 600 "$TMP/j.trace.json")"
import sys
from trace import chrome, slices
done = slices(chrome(sys.argv[1])[1])
assert [s[2] for s in done if s[0] == "nest"] == [1] * 21, done
assert [s[2] for s in done if s[0] == "dive"] == [0] * 8, done
assert done[-1] == ("main", 0, 0), done
END

# system calls beside functions, on one clock
d -x report="$TMP/s.pftrace" -qn 'syscall::write:entry, syscall::write:return /pid == $target/ {} pid$target:a.out:main:entry {}' -c "$TARGETS/t 10 1"
if [ "$status" = 0 ]; then
	PYTHONPATH=$TMP python3 - "$TMP/s.pftrace" <<'END' || fail "system calls"
import sys
from trace import perfetto, slices
done = slices(perfetto(sys.argv[1])[1])
assert ("main", 0, 0) in done and ("write", 1, 0) in done, done
END
fi

# bounded: what has no room is told, begins are ends all the same
d -x report="$TMP/b.pftrace" -x reportsize=20k -qn 'pid$target:a.out:leaf:entry, pid$target:a.out:leaf:return {}' -c "$TARGETS/t 1000 1 quiet"
ends 0 "bounded"
like "bounded" "$err" "dtrace: report $TMP/b.pftrace: * records left out: -x reportsize is too small"
PYTHONPATH=$TMP python3 -c 'import sys; from trace import perfetto, slices; assert 0 < len(slices(perfetto(sys.argv[1])[1])) < 1000' "$TMP/b.pftrace" || fail "bounded"

# clauses that only aggregate make no slices, which is said
d -x report="$TMP/a.pftrace" -qn 'pid$target:a.out:leaf:entry, pid$target:a.out:leaf:return { @[probename] = count(); }' -c "$TARGETS/t 10 1 quiet"
ends 0 "only an aggregation"
like "only an aggregation" "$err" "dtrace: report $TMP/a.pftrace: no slices: a clause that only aggregates makes no record; an empty one, { }, does"

# nothing in it, and still a trace
d -x report="$TMP/n.pftrace" -x report="$TMP/n.trace.json" -qn 'BEGIN { exit(0); }'
ends 0 "nothing"
PYTHONPATH=$TMP python3 -c 'import sys; from trace import perfetto, chrome; assert len(perfetto(sys.argv[1])[1]) <= 1; chrome(sys.argv[2])' "$TMP/n.pftrace" "$TMP/n.trace.json" || fail "nothing"

if command -v protoc >/dev/null; then
	cat >"$TMP/trace.proto" <<'END'
syntax = "proto2";
message Clock { optional uint32 clock_id = 1; optional uint64 timestamp = 2; }
message ClockSnapshot { repeated Clock clocks = 1; optional uint32 primary_trace_clock = 2; }
message Process { optional int32 pid = 1; repeated string cmdline = 2; optional string process_name = 6; }
message Thread { optional int32 pid = 1; optional int32 tid = 2; optional string thread_name = 5; }
message Counter { optional int32 unit = 3; optional string unit_name = 6; }
message Track { optional uint64 uuid = 1; optional string name = 2; optional Process process = 3; optional Thread thread = 4; optional uint64 parent_uuid = 5; optional Counter counter = 8; }
message Annotation { optional int64 int_value = 4; optional string string_value = 6; optional string name = 10; }
message Event { repeated Annotation debug_annotations = 4; optional int32 type = 9; optional uint64 track_uuid = 11; repeated string categories = 22; optional string name = 23; optional int64 counter_value = 30; }
message Packet { optional ClockSnapshot clock_snapshot = 6; optional uint64 timestamp = 8; optional uint32 sequence = 10; optional Event track_event = 11; optional uint32 flags = 13; optional uint32 clock = 58; optional Track track_descriptor = 60; }
message Trace { repeated Packet packet = 1; }
END
	protoc -I "$TMP" --decode=Trace "$TMP/trace.proto" <"$TMP/x.pftrace" >"$TMP/decoded" || fail "protoc"
	! grep -n '^ *[0-9][0-9]*:' "$TMP/decoded" || fail "protoc: fields that are not known"
	is "protoc: slices" "$(grep -c '^    type: 1$' "$TMP/decoded")" "$(grep -c '^    type: 2$' "$TMP/decoded")"
fi
finish
