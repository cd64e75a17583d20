# -x metrics=: aggregations as metrics while a run goes on, judged by Prometheus's own reader of the text (promtool) where it
# is there, by a strict one of ours, and by what the program counts; who may read, and clients that are slow or hostile.
# needs: user
# timeout: 120
. tests/lib/lib.sh

[ -x /usr/bin/python3 ] || skip "no python3"
/usr/bin/python3 -c 'import socket; socket.socket().bind(("127.0.0.1", 0))' 2>/dev/null || skip "no loopback"

# begin OPTIONS...: a run in the background that counts up; its address is in $url then, its process in $pid
begin() {
	: >"$TMP/err"
	: >"$TMP/out" # what the one before has said
	"$DTRACE" -qn 'BEGIN { i = 0; } tick-1ms /i < 200/ { i++; @calls[i & 1 ? "odd" : "even"] = count(); @lat["a\"b\\c\nd\377"] = quantize(i * 1000);
		@low = lquantize(i, -10, 100, 10); @ll = llquantize(i, 10, 0, 3, 20); @sum[i & 3] = sum(-i); @avg = avg(i); @dev = stddev(i); @most = max(i);
		@least = min(-i); @n[i] = count(); }
		tick-1ms /i == 150/ { clear(@calls); } tick-1ms /i == 200 && !said/ { said = 1; printf("counted\n"); }' \
		-x metrics=0 "$@" >"$TMP/out" 2>"$TMP/err" </dev/null &
	pid=$!
	until_said "$TMP/out" counted $pid || fail "no run: $(cat "$TMP/err")"
	url=$(sed -n 's/.* at //p' "$TMP/err")
}
end() {
	kill -INT "$pid"
	wait "$pid"
}

begin -x aggunit=lat:us -x aggunit=sum:bytes -x aggtitle=lat:Latency -x metricsmax=100 -x aggrate=100ms
like "the address" "$url" "http://127.0.0.1:*/metrics"
/usr/bin/python3 - "$url" "$TMP" <<'END' || fail "what is served: $(cat "$TMP/err")"
import gzip, re, sys, urllib.request

url, tmp = sys.argv[1:]

def get(**headers):
    r = urllib.request.urlopen(urllib.request.Request(url, headers={k.replace("_", "-"): v for k, v in headers.items()}), timeout=20)
    body = r.read()
    if r.headers.get("Content-Encoding") == "gzip":
        body = gzip.decompress(body)
    return r.headers["Content-Type"], body.decode()

def samples(text):
    out = {}
    for line in text.split("\n"):
        if line and line[0] != "#":
            m = re.fullmatch(r'([a-z_]+)(?:\{((?:[a-z0-9_]+="(?:[^"\\\n]|\\[\\"n])*",?)*)\})? (\S+)', line)
            assert m, line
            key = m[1] + "{" + (m[2] or "") + "}"
            assert key not in out, key
            out[key] = m[3]
    return out

# what lines show of the last 50 has forgotten what was before clear()
kind, text = get()
assert kind == "text/plain; version=0.0.4; charset=utf-8", kind
open(tmp + "/old.prom", "w").write(text)
old = samples(text)
assert old['dtrace_calls_total{key1="odd"}'] == "100" and old['dtrace_calls_total{key1="even"}'] == "100", text
assert old['dtrace_resets_total{aggregation="calls"}'] == "1" and old['dtrace_resets_total{aggregation="lat"}'] == "0"
assert old["dtrace_avg_count{}"] == "200" and old["dtrace_avg_sum{}"] == str(200 * 201 // 2)
assert old["dtrace_dev_squares{}"] == str(sum(i * i for i in range(1, 201)))
assert old["dtrace_most{}"] == "200" and old["dtrace_least{}"] == "-200"
assert sum(int(v) for k, v in old.items() if k.startswith("dtrace_sum_bytes{")) == -200 * 201 // 2
label = 'key1="a\\"b\\\\c\\nd\ufffd"'
lat = {k: int(v) for k, v in old.items() if k.startswith("dtrace_lat_seconds_bucket{" + label)}
for bound, n in (("0.000511", 0), ("0.001023", 1), ("0.065535", 65), ("0.262143", 200), ("+Inf", 200)):
    assert lat['dtrace_lat_seconds_bucket{%s,le="%s"}' % (label, bound)] == n, (bound, lat)
low = {k: int(v) for k, v in old.items() if k.startswith("dtrace_low_bucket")}
for bound in range(9, 100, 10):
    assert low['dtrace_low_bucket{le="%d"}' % bound] == bound, (bound, low)
assert low['dtrace_low_bucket{le="+Inf"}'] == 200, low
ll = {k: int(v) for k, v in old.items() if k.startswith("dtrace_ll_bucket")}
for k, v in ll.items():
    if "Inf" not in k:
        assert v == min(200, max(0, int(re.search(r'le="(-?\d+)"', k)[1]))), (k, v)
# limits: 100 rows and the rest
rows = {k: v for k, v in old.items() if k.startswith("dtrace_n_total{")}
assert len(rows) == 101 and rows['dtrace_n_total{overflow="true"}'] == "100", rows
assert old['dtrace_metric_rows{aggregation="n"}'] == "101"
assert old['dtrace_drops_total{kind="records"}'] == "0" and "dtrace_drops_total{}" not in old
assert "# TYPE dtrace_lat_seconds histogram\n# HELP dtrace_lat_seconds Latency\n" in text
# sums beside histograms, by the same keys, but where values may be negative
assert old["dtrace_lat_seconds_count{%s}" % label] == "200" and float(old["dtrace_lat_seconds_sum{%s}" % label]) == 20.1, text
assert old["dtrace_low_count{}"] == "200" and old["dtrace_low_sum{}"] == "20100" and old["dtrace_ll_sum{}"] == "20100", text

kind, text = get(Accept="application/openmetrics-text; version=1.0.0", Accept_Encoding="gzip")
assert kind == "application/openmetrics-text; version=1.0.0; charset=utf-8", kind
open(tmp + "/new.txt", "w").write(text)
assert text.endswith("\n# EOF\n") and text.count("# EOF") == 1
assert "# TYPE dtrace_lat_seconds histogram\n# UNIT dtrace_lat_seconds seconds\n" in text
assert "# TYPE dtrace_calls counter\n" in text and 'dtrace_calls_created{key1="odd"} ' in text
assert 'dtrace_low_bucket{le="9.0"} 9\n' in text
assert {k: v for k, v in samples(text).items() if "_created" not in k and "le=" not in k} == {k: v for k, v in old.items() if "le=" not in k}
END
if command -v promtool >/dev/null 2>&1; then
	promtool check metrics <"$TMP/old.prom" >"$TMP/promtool" 2>&1 || fail "promtool: $(cat "$TMP/promtool")"
fi
/usr/bin/python3 - "$TMP/new.txt" <<'END' || fail "the reader of OpenMetrics of prometheus_client"
import sys
try:
    from prometheus_client.openmetrics.parser import text_string_to_metric_families
except ImportError:
    sys.exit(0)
families = {f.name: f for f in text_string_to_metric_families(open(sys.argv[1]).read())}
assert families["dtrace_lat_seconds"].type == "histogram" and families["dtrace_lat_seconds"].unit == "seconds"
assert families["dtrace_calls"].type == "counter" and families["dtrace_build"].type == "info"
END

# who is refused, and clients that are slow, silent or too many: what is counted does not change
/usr/bin/python3 - "$url" <<'END' || fail "hostile clients"
import re, socket, sys

port = int(re.search(r":(\d+)/", sys.argv[1])[1])

def connect():
    s = socket.create_connection(("127.0.0.1", port), timeout=60)
    return s

def ask(text, s=None):
    s = s or connect()
    s.sendall(text)
    got = b""
    while True:
        part = s.recv(65536)
        if not part:
            return got
        got += part

def status(text):
    return int(ask(text).split(b" ")[1])

good = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"
silent = [connect() for i in range(3)]
assert status(good) == 200
for host in b"127.0.0.1:%d" % port, b"[::1]", b"LOCALHOST:1":
    assert status(b"GET /metrics HTTP/1.1\r\nHost: " + host + b"\r\n\r\n") == 200, host
assert status(b"GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n") == 421
assert status(b"GET / HTTP/1.1\r\n\r\n") == 404
assert status(b"GET /metrics/../metrics HTTP/1.1\r\n\r\n") == 404
assert status(b"POST /metrics HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc") == 405
assert status(b"GET /metrics HTTP/2.0\r\n\r\n") == 505
assert status(b"GET /metrics HTTP/1.1\r\nA: " + b"a" * 6000 + b"\r\n\r\n") == 431
assert status(b"\0\1\2\3\n\n") == 400
head = ask(b"HEAD /metrics HTTP/1.1\r\n\r\n")
assert head.endswith(b"\r\n\r\n") and int(re.search(rb"Content-Length: (\d+)", head)[1]) > 1000
part = connect()
for i in range(len(good) - 1):
    part.send(good[i:i + 1])
assert b" 200 " in ask(good[-1:], part)
# those who say nothing are told so; more of them than are served at once only make others wait
more = [connect() for i in range(12)]
assert status(good) == 200
for s in silent:
    assert s.recv(100).startswith(b"HTTP/1.1 408 ")
gone = connect()
gone.sendall(good)
gone.close()
assert status(good) == 200
END
end
lines=$(awk '$1 == "odd" || $1 == "even" { n += $2 } END { print n + 0 }' "$TMP/out")
[ "$lines" -lt 200 ] || fail "lines: clear() has not acted on them: $(cat "$TMP/out")"
[ "$(grep -c . "$TMP/err")" = 1 ] || fail "what is said: $(cat "$TMP/err")"

# as a file, renamed into place while the run goes on and at its end
"$DTRACE" -qn 'BEGIN { i = 0; } tick-1ms { @x = sum(2); } tick-1ms /++i == 100/ { printf("counted\n"); }' -x aggrate=20ms -x report="$TMP/x.prom" >"$TMP/out" 2>"$TMP/err" </dev/null &
pid=$!
until_said "$TMP/out" counted $pid
until_said "$TMP/x.prom" 'dtrace_x [1-9]' $pid || fail "x.prom while it runs: $(cat "$TMP/x.prom" "$TMP/err")"
end
is "x.prom at the end" "$(sed -n 's/^dtrace_x //p' "$TMP/x.prom")" "$(awk 'NF == 1 && $1 ~ /^[0-9]+$/ { print $1 }' "$TMP/out")"

# a token, and a file in place of a port, which is for this user alone and is gone at the end
(umask 077 && echo secret >"$TMP/token")
begin -x metricstoken="$TMP/token"
/usr/bin/python3 - "$url" <<'END' || fail "token"
import sys, urllib.error, urllib.request
def status(token):
    try:
        return urllib.request.urlopen(urllib.request.Request(sys.argv[1], headers={"Authorization": token} if token else {}), timeout=20).status
    except urllib.error.HTTPError as e:
        return e.code
assert [status(t) for t in (None, "Bearer secre", "Bearer secret\t", "Basic secret", "Bearer secret")] == [401, 401, 200, 401, 200], [status(t) for t in (None, "Bearer secre", "Bearer secret\t", "Basic secret", "Bearer secret")]
END
end
: >"$TMP/out"
"$DTRACE" -qn 'tick-1ms { @x = count(); } BEGIN { printf("begun\n"); }' -x metrics=unix:"$TMP/socket" >"$TMP/out" 2>"$TMP/err" </dev/null &
pid=$!
until_said "$TMP/out" begun $pid
is "mode of the socket" "$(stat -c %a "$TMP/socket")" 600
/usr/bin/python3 - "$TMP/socket" <<'END' || fail "socket"
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.settimeout(20)
s.connect(sys.argv[1])
s.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
assert s.makefile("rb").read().startswith(b"HTTP/1.1 200 OK\r\n")
END
end
[ -e "$TMP/socket" ] && fail "the socket is left"

# names begin with what is asked for
d -qn 'BEGIN { @x = count(); exit(0); }' -x report=prom:"$TMP/y" -x metricsprefix=shop.
is "metricsprefix" "$(grep -c '^shop_x_total 1$' "$TMP/y")" 1

# what cannot be is said before a program is started
marker="touch $TMP/started"
for refused in "0.0.0.0:0;*open to other machines*metricsremote*" "[::]:0;*open to other machines*" "x;*say PORT, ADDRESS:PORT*" \
	"127.0.0.1:99999;*say PORT*" "localhost;*say PORT*" "unix:;*a path of 1 to*" "unix:$TMP;*cannot be listened to*"; do
	d -qn 'BEGIN { exit(0); }' -x metrics="${refused%%;*}" -c "$marker"
	ends 1 "metrics=${refused%%;*}"
	like "metrics=${refused%%;*}" "$err" "${refused#*;}"
done
begin
d -qn 'BEGIN { exit(0); }' -x metrics="$(echo "$url" | sed 's/.*:\([0-9]*\).*/\1/')" -c "$marker"
ends 1 "a port that is taken"
like "a port that is taken" "$err" "*it cannot be listened to: Address already in use; say another one, or metrics=0*"
end
d -qn 'BEGIN { exit(0); }' -x metrics=0 -x metricstoken="$TMP/nothing" -c "$marker"
like "no token" "$err" "*metricstoken=$TMP/nothing: it cannot be read: No such file*"
d -qn 'BEGIN { exit(0); }' -x aggunit=lat -c "$marker"
like "no unit" "$err" "*aggunit=lat: say NAME:UNIT*"
[ -e "$TMP/started" ] && fail "a program was started"
d -qn '#pragma D option metrics=0
BEGIN { exit(0); }'
like "in a program" "$err" "*cannot be used from within a D program*"
finish
