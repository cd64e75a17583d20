# report=x.prom in the folder of node_exporter's textfile collector: it serves what the file has, unchanged.
# needs: user
. tests/lib/lib.sh

need prometheus-node-exporter
[ -x /usr/bin/python3 ] || skip "no python3"
/usr/bin/python3 -c 'import socket; socket.socket().bind(("127.0.0.1", 0))' 2>/dev/null || skip "no loopback"
mkdir "$TMP/textfile"
d -qn 'BEGIN { @calls["a\"b"] = count(); @lat = quantize(1000); @lat = quantize(100000); @low = lquantize(5, 0, 10, 2); @sum = sum(-7);
	@avg = avg(3); @avg = avg(4); @dev = stddev(5); exit(0); }' -x report="$TMP/textfile/x.prom" -x aggunit=lat:ns
ends 0 "a report"
/usr/bin/python3 - "$TMP" <<'END' || fail "node_exporter: $(tail -5 "$TMP/exporter.log")"
import re, socket, subprocess, sys, time, urllib.request

tmp = sys.argv[1]
with socket.socket() as s:
    s.bind(("127.0.0.1", 0))
    port = s.getsockname()[1]
server = subprocess.Popen(["prometheus-node-exporter", "--collector.disable-defaults", "--collector.textfile", "--web.listen-address=127.0.0.1:%d" % port,
                           "--collector.textfile.directory=" + tmp + "/textfile"], stderr=open(tmp + "/exporter.log", "w"))
try:
    end = time.monotonic() + 60
    text = None
    while text is None and server.poll() is None and time.monotonic() < end:
        try:
            text = urllib.request.urlopen("http://127.0.0.1:%d/metrics" % port, timeout=20).read().decode()
        except OSError:
            time.sleep(0.05)

    def samples(lines):
        # labels in order of their names; bounds are numbers, which it writes in its own way
        return {(m[1], tuple(sorted((k, float(v) if k == "le" else v)
                                    for k, v in re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', m[2] or "")))): float(m[3])
                for m in (re.fullmatch(r"(dtrace_\w+)(?:\{(.*)\})? (\S+)", line) for line in lines) if m}

    ours, theirs = samples(open(tmp + "/textfile/x.prom").read().split("\n")), samples(text.split("\n"))
    assert len(ours) > 30 and ours == theirs, {k: (ours.get(k), theirs.get(k)) for k in ours.keys() ^ theirs.keys()}
    assert "\nnode_textfile_scrape_error 0\n" in text
    assert "\n# TYPE dtrace_lat_seconds histogram\n" in text and theirs[("dtrace_lat_seconds_sum", ())] == 0.000101, text
finally:
    server.kill()
    server.wait()
END
finish
