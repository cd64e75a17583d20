# A real Prometheus scrapes -x metrics=: the target is up, rate() and histogram_quantile() give what the script makes known.
# needs: user
# timeout: 120
. tests/lib/lib.sh

need prometheus
[ -x /usr/bin/python3 ] || skip "no python3"
/usr/bin/python3 -c 'import socket; socket.socket().bind(("127.0.0.1", 0))' 2>/dev/null || skip "no loopback"

# 100 a second; values from 1 to 1000 us, each as often: the median is 500 us, in 262.144 ... 524.287
"$DTRACE" -qn 'BEGIN { i = 0; } tick-10ms { @calls = count(); } tick-1ms { i = i % 1000 + 1; @lat = quantize(i * 1000); @low = lquantize(i, 0, 1000, 50);
	@ll = llquantize(i, 10, 0, 3, 20); }' -x metrics=0 -x aggunit=lat:ns >"$TMP/out" 2>"$TMP/err" </dev/null &
pid=$!
until_said "$TMP/err" /metrics $pid || fail "no address: $(cat "$TMP/err")"
/usr/bin/python3 - "$(sed -n 's/.*at //p' "$TMP/err")" "$TMP" <<'END' || fail "prometheus: $(tail -5 "$TMP/prometheus.log")"
import json, re, socket, subprocess, sys, time, urllib.parse, urllib.request

url, tmp = sys.argv[1:]
address = re.search(r"//(.*)/metrics", url)[1]
with open(tmp + "/prometheus.yml", "w") as f:
    f.write("global:\n  scrape_interval: 500ms\nscrape_configs:\n  - job_name: dtrace\n    static_configs:\n      - targets: ['%s']\n" % address)
with socket.socket() as s:
    s.bind(("127.0.0.1", 0))
    port = s.getsockname()[1]
server = subprocess.Popen(["prometheus", "--config.file=" + tmp + "/prometheus.yml", "--storage.tsdb.path=" + tmp + "/data",
                           "--web.listen-address=127.0.0.1:%d" % port], stderr=open(tmp + "/prometheus.log", "w"), stdout=subprocess.DEVNULL)

def ask(path, **query):
    try:
        u = "http://127.0.0.1:%d/api/v1/%s?%s" % (port, path, urllib.parse.urlencode(query))
        return json.load(urllib.request.urlopen(u, timeout=20))["data"]
    except OSError:
        return None

def value(query):
    got = ask("query", query=query)
    return float(got["result"][0]["value"][1]) if got and got["result"] else None

try:
    # as soon as there are ten seconds of it: no time is expected, values are
    for i in range(900):
        if server.poll() is not None:
            sys.exit("prometheus has ended")
        n = value("count_over_time(dtrace_calls_total[12s])")
        if n and n >= 20:
            break
        time.sleep(0.1)
    else:
        sys.exit("20 scrapes did not come")
    target = ask("targets")["activeTargets"][0]
    assert target["health"] == "up" and not target["lastError"], target
    rate = value("rate(dtrace_calls_total[8s])")
    assert 90 <= rate <= 110, rate
    for name, low, high in (("dtrace_lat_seconds", 0.000262143, 0.000524287), ("dtrace_low", 449, 549), ("dtrace_ll", 449, 549)):
        median = value("histogram_quantile(0.5, %s_bucket)" % name)
        assert low <= median <= high, (name, median)
    meta = ask("metadata")
    assert meta["dtrace_lat_seconds"][0]["type"] == "histogram" and meta["dtrace_lat_seconds"][0]["unit"] == "seconds", meta
    assert value('sum(dtrace_drops_total)') == 0
finally:
    server.terminate()
    server.wait()
END
kill -INT $pid
wait $pid
finish
