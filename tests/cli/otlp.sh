# -x otlp=: aggregations sent to a collector of OpenTelemetry while a run goes on and at its end, as protocol buffers and as JSON, read by a
# strict reader of ours (and protoc, where it and the protocol's own files are there); collectors that are busy, dead or hostile
# are told of, and nothing else changes.
# needs: user
# timeout: 120
. tests/lib/lib.sh

[ -x /usr/bin/python3 ] || skip "no python3"
/usr/bin/python3 -c 'import socket; socket.socket().bind(("127.0.0.1", 0))' 2>/dev/null || skip "no loopback"

# A collector: answers requests in the ways that are given, the last one for ever, and keeps their bodies.
cat >"$TMP/collector.py" <<'END'
import socket, sys, threading

folder, ways = sys.argv[1], sys.argv[2:]
ANSWERS = {
    "ok": b"HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\nContent-Length: 0\r\n\r\n",
    "busy": b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n",
    "none": b"HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n",
    # ExportMetricsServiceResponse: partial_success: 3 rejected, "\x1b[2Jbad"
    "part": b"HTTP/1.1 200 OK\r\n\r\n\x0a\x0b\x08\x03\x12\x07\x1b[2Jbad",
    "junk": b"\xff\x00" * 100000,
    "cut": b"",
    "mad": b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
}
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen(8)
print(s.getsockname()[1], flush=True)
n = 0
kept = []
while True:
    c = s.accept()[0]
    way = ways[min(n, len(ways) - 1)]
    n += 1
    if way == "silent":
        kept.append(c)
        continue
    got = b""
    while b"\r\n\r\n" not in got:
        got += c.recv(65536)
    head, body = got.split(b"\r\n\r\n", 1)
    fields = dict(l.lower().split(b": ", 1) for l in head.split(b"\r\n")[1:])
    while len(body) < int(fields[b"content-length"]):
        body += c.recv(65536)
    assert len(body) == int(fields[b"content-length"])
    with open("%s/%d.head" % (folder, n), "wb") as f:
        f.write(head)
    with open("%s/%d.body" % (folder, n), "wb") as f:
        f.write(body)
    try:
        c.sendall(ANSWERS[way])
    except OSError:
        pass
    if way == "ok":
        kept.append(c)  # who says how long the answer is may keep the connection
    else:
        c.close()
END

# collector WAY...: its port is in $port, what it gets in $TMP/got
collector() {
	[ -z "${server-}" ] || kill "$server"
	rm -rf "$TMP/got"
	mkdir "$TMP/got"
	: >"$TMP/port"
	/usr/bin/python3 "$TMP/collector.py" "$TMP/got" "$@" >"$TMP/port" 2>"$TMP/collector.err" &
	server=$!
	until_said "$TMP/port" . $server || fail "no collector: $(cat "$TMP/collector.err")"
	port=$(cat "$TMP/port")
}
trap 'kill $server' EXIT

# What is sent, all of it known.
program='BEGIN { i = 0; } tick-1ms /i < 200/ { i++; @calls[i & 1 ? "odd" : "even", i & 1 ? "\376" : "\377", (int)-5] = count();
	@lat = quantize(i * 1000); @low = lquantize(i, 50, 100, 10); @ll = llquantize(i, 10, 0, 3, 20); @total[i & 3] = sum(-i); @avg = avg(i);
	@dev = stddev(i); @most = max(i); @least = min(-i); @n[i] = count(); @ = count(); }
	tick-1ms /i == 150/ { clear(@calls); } tick-1ms /i == 200/ { exit(0); }'
cat >"$TMP/check.py" <<'END'
import json, math, struct, sys

# opentelemetry-proto: collector/metrics/v1, metrics/v1, common/v1, resource/v1: number: (name, type); [..]: repeated
S, B, I, F, SF, D, E = "string", "bool", "int64", "fixed64", "sfixed64", "double", "enum"
ANY = {1: ("stringValue", S), 2: ("boolValue", B), 3: ("intValue", I), 4: ("doubleValue", D)}
ATTRIBUTE = {1: ("key", S), 2: ("value", ANY)}
NUMBER = {7: ("attributes", [ATTRIBUTE]), 2: ("startTimeUnixNano", F), 3: ("timeUnixNano", F), 4: ("asDouble", D), 6: ("asInt", SF)}
HISTOGRAM = {9: ("attributes", [ATTRIBUTE]), 2: ("startTimeUnixNano", F), 3: ("timeUnixNano", F), 4: ("count", F), 5: ("sum", D),
             6: ("bucketCounts", [F]), 7: ("explicitBounds", [D])}
METRIC = {1: ("name", S), 2: ("description", S), 3: ("unit", S), 5: ("gauge", {1: ("dataPoints", [NUMBER])}),
          7: ("sum", {1: ("dataPoints", [NUMBER]), 2: ("aggregationTemporality", E), 3: ("isMonotonic", B)}),
          9: ("histogram", {1: ("dataPoints", [HISTOGRAM]), 2: ("aggregationTemporality", E)})}
SCOPE = {1: ("name", S), 2: ("version", S)}
REQUEST = {1: ("resourceMetrics", [{1: ("resource", {1: ("attributes", [ATTRIBUTE])}),
                                    2: ("scopeMetrics", [{1: ("scope", SCOPE), 2: ("metrics", [METRIC])}])}])}

def varint(b, at):
    v = shift = 0
    while True:
        v |= (b[at] & 0x7F) << shift
        shift += 7
        at += 1
        if b[at - 1] < 0x80:
            return v, at

def scalar(kind, raw):
    return struct.unpack({F: "<Q", SF: "<q", D: "<d"}[kind], raw)[0]

def decode(b, fields):
    out, at = {}, 0
    while at < len(b):
        tag, at = varint(b, at)
        name, kind = fields[tag >> 3]
        many = isinstance(kind, list)
        kind = kind[0] if many else kind
        if tag & 7 == 0:
            v, at = varint(b, at)
            assert kind in (B, I, E), name
            v = bool(v) if kind == B else v - (1 << 64) if v >> 63 else v
        elif tag & 7 == 1:
            v, at = scalar(kind, b[at:at + 8]), at + 8
        else:
            assert tag & 7 == 2
            n, at = varint(b, at)
            part, at = b[at:at + n], at + n
            assert len(part) == n
            if many and kind in (F, D):
                assert n % 8 == 0
                out[name] = [scalar(kind, part[i:i + 8]) for i in range(0, n, 8)]
                continue
            v = part.decode() if kind == S else decode(part, kind)
        if many:
            out.setdefault(name, []).append(v)
        else:
            assert name not in out, name
            out[name] = v
    return out

# The same tree of JSON: names and types are those of the tables, 64 bits are texts.
def read(v, kind):
    if isinstance(kind, list):
        assert isinstance(v, list)
        return [read(e, kind[0]) for e in v]
    if isinstance(kind, dict):
        types = dict(kind.values())
        return {k: read(e, types[k]) for k, e in v.items()}
    if kind in (I, F, SF):
        assert isinstance(v, str)
        return int(v)
    assert isinstance(v, {S: str, B: bool, E: int, D: (int, float)}[kind]) and (kind == B or v is not True)
    return float(v) if kind == D else v

name, is_json = sys.argv[1], sys.argv[2] == "json"
head = open(name + ".head", newline="").read()
assert head.startswith("POST /v1/metrics HTTP/1.1\r\n") and "\r\nContent-Type: application/%s\r\n" % ("json" if is_json else "x-protobuf") in head + "\r\n", head
body = open(name + ".body", "rb").read()
request = read(json.loads(body), REQUEST) if is_json else decode(body, REQUEST)
(resource,) = request["resourceMetrics"]
attributes = {a["key"]: a["value"]["stringValue"] for a in resource["resource"]["attributes"]}
assert attributes["service.name"] == "dtrace" and attributes["service.version"] and attributes["host.name"]
(scope,) = resource["scopeMetrics"]
metrics = {m["name"]: m for m in scope["metrics"]}
assert len(metrics) == len(scope["metrics"]) == 11, list(metrics)

def value(a):
    (v,) = a["value"].values()
    return v

def points(name, kind):
    m = metrics["dtrace." + name]
    for p in m[kind]["dataPoints"]:
        assert 0 < p["startTimeUnixNano"] < p["timeUnixNano"]
    return [({a["key"]: value(a) for a in p.get("attributes", [])}, p) for p in m[kind]["dataPoints"]]

# of the whole run: clear() does not act on it; bytes that are no UTF-8 are one key
calls = metrics["dtrace.calls"]
assert calls["sum"]["aggregationTemporality"] == 2 and calls["sum"]["isMonotonic"] is True and calls["unit"] == "1"
assert sorted((k["key1"], k["key2"], k["key3"], p["asInt"]) for k, p in points("calls", "sum")) == [("even", "\ufffd", -5, 100), ("odd", "\ufffd", -5, 100)], points("calls", "sum")
assert metrics["dtrace.total"]["sum"]["aggregationTemporality"] == 2 and not metrics["dtrace.total"]["sum"].get("isMonotonic")
assert metrics["dtrace.total"]["unit"] == "By"
assert {k["key1"] if "key1" in k else k: p["asInt"] for k, p in points("total", "sum")} == {r: -sum(i for i in range(1, 201) if i & 3 == r) for r in range(4)}
assert [p["asInt"] for k, p in points("most", "gauge")] == [200] and [p["asInt"] for k, p in points("least", "gauge")] == [-200]
for name in "avg", "dev":
    ((_, p),) = points(name, "histogram")
    assert p["count"] == 200 and p["sum"] == 200 * 201 // 2 and not p.get("bucketCounts") and not p.get("explicitBounds")
for name, values in ("lat", [i * 1000 for i in range(1, 201)]), ("low", range(1, 201)), ("ll", range(1, 201)):
    ((_, p),) = points(name, "histogram")
    counts, bounds = p["bucketCounts"], p["explicitBounds"]
    assert metrics["dtrace." + name]["histogram"]["aggregationTemporality"] == 2
    assert len(counts) == len(bounds) + 1 and sum(counts) == p["count"] == 200 and bounds == sorted(bounds) and p["sum"] == sum(values)
    for i, n in enumerate(counts):
        low = bounds[i - 1] if i else -math.inf
        high = bounds[i] if i < len(bounds) else math.inf
        assert n == sum(low < v <= high for v in values), (name, low, high, n)
assert metrics["dtrace.lat"]["unit"] == "ns" and metrics["dtrace.lat"]["description"] == 'how "long"'
rest = [p for k, p in points("n", "sum") if k == {"otel.metric.overflow": True}]
assert len(metrics["dtrace.n"]["sum"]["dataPoints"]) == 101 and rest[0]["asInt"] == 100
assert [p["asInt"] for k, p in points("unnamed", "sum")] == [200]
END

sent() { # sent: how many requests
	ls "$TMP/got" | grep -c body
}
for form in proto json; do
	case $form in json) prefix=otlp+json: ;; *) prefix= ;; esac
	collector ok
	d -qn "$program" -x otlp="${prefix}http://127.0.0.1:$port" -x otlprate=20ms -x aggrate=10ms -x aggunit=lat:ns -x aggunit=total:bytes \
		-x aggtitle=lat:'how "long"' -x metricsmax=100
	ends 0 "$form"
	is "$form: what is said" "$err" ""
	n=$(sent)
	[ "$n" -ge 3 ] || fail "$form: only $n requests"
	/usr/bin/python3 "$TMP/check.py" "$TMP/got/$n" "$form" || fail "$form: what was sent last"
done

# begins NAME OPTIONS...: a run that ends when something has been said, or sent
count='BEGIN { printf("begun\n"); } tick-1ms { @n = count(); }'
until_sent() { # until_sent N
	tries=0
	until [ "$(sent)" -ge "$1" ]; do
		tries=$((tries + 1))
		[ $tries -lt 1000 ] || return 1
		sleep 0.02
	done
}
run() { # run OPTIONS...: in the background, $pid
	: >"$TMP/out" # what the one before has said
	: >"$TMP/err"
	"$DTRACE" -qn "$count" -x otlprate=20ms "$@" >"$TMP/out" 2>"$TMP/err" </dev/null &
	pid=$!
}
over() { # over WANT_STATUS WHAT PATTERN LINES
	kill -INT $pid
	wait $pid
	is "$2: status" "$?" "$1"
	# shellcheck disable=SC2254
	case $(cat "$TMP/err") in
	$3) ;;
	*) fail "$2: $(cat "$TMP/err")" ;;
	esac
	is "$2: lines" "$(grep -c . "$TMP/err")" "$4"
	[ "$(sed -n 's/^ *\([1-9][0-9]*\)$/\1/p' "$TMP/out")" -gt 0 ] || fail "$2: no answer: $(cat "$TMP/out")"
}
collector busy busy ok
run -x otlp="http://localhost:$port/"
until_sent 4
over 0 "busy twice" "dtrace: otlp=*: the collector answers 503: what was to be sent goes with the next request" 1
collector none
run -x otlp="http://127.0.0.1:$port/elsewhere"
until_sent 3
over 1 "404" "dtrace: otlp=*: the collector answers 404: what was to be sent goes with the next request
dtrace: otlp=*: the collector answers 404: the last values were not taken" 2
is "another path" "$(head -c 16 "$TMP/got/1.head")" "POST /elsewhere "
collector part
run -x otlp="http://127.0.0.1:$port"
until_sent 3
over 0 "refused in part" 'dtrace: otlp=*: the collector has refused 3 points: \\x1b\[2Jbad' 1
for way in junk mad cut; do
	collector $way
	run -x otlp="http://127.0.0.1:$port"
	until_sent 3
	case $way in
	junk) over 1 $way "*what answers is no server of http: what was*
*the last values were not taken" 2 ;;
	cut) over 1 $way "*closed the connection: what was*
*the last values were not taken" 2 ;;
	mad) over 0 $way "" 0 ;;
	esac
done
# nobody listens; one who says nothing keeps nobody from printing, and a second ^C ends it
kill "$server"
wait "$server" 2>/dev/null
run -x otlp="http://127.0.0.1:$port"
until_said "$TMP/err" 'Connection refused: what was' $pid || fail "nobody listens: $(cat "$TMP/err")"
over 1 "nobody listens" "*
dtrace: otlp=*: Connection refused: the last values were not taken" 2
server=
collector silent
run -x otlp="http://127.0.0.1:$port"
until_said "$TMP/out" begun $pid
kill -INT $pid
until_said "$TMP/out" '^ *[1-9]' $pid || fail "one who says nothing: $(cat "$TMP/out")"
kill -INT $pid
wait $pid
is "a second ^C" "$?" 1

# what cannot be is said before a program is started
for refused in "https://127.0.0.1:1;*https is not spoken here*" "127.0.0.1:4318;*no URL of http*" "http://;*host or port*" "http://h:99999;*host or port*" \
	"http://[::1;*host or port*" "http://a/b?c;*no place in it*" "http://u@h/;*no place in it*" "http://no.such.host.invalid;*no.such.host.invalid: *" "http://a b/;*no URL*"; do
	d -qn 'BEGIN { exit(0); }' -x otlp="${refused%%;*}" -c "touch $TMP/started"
	ends 1 "otlp=${refused%%;*}"
	like "otlp=${refused%%;*}" "$err" "dtrace: otlp=${refused#*;}"
	is "otlp=${refused%%;*}: lines" "$(grep -c . "$TMP/err")" 1
done
[ -e "$TMP/started" ] && fail "a program was started"
finish
