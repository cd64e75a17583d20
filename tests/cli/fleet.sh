# docs/fleet: the script serves what rules and dashboard ask for; the files are read by promtool and a reader of YAML where these are there.
# needs: root
# timeout: 90
. tests/lib/lib.sh

[ -x /usr/bin/python3 ] || skip "no python3"
"$DTRACE" -s docs/fleet/latency.d -x metrics=0 >"$TMP/out" 2>"$TMP/err" </dev/null &
pid=$!
until_said "$TMP/err" /metrics $pid || skip "no run: $(cat "$TMP/err")"
/usr/bin/python3 - "$(sed -n 's/.*at //p' "$TMP/err")" <<'END' || fail "metrics"
import json, os, re, sys, time, urllib.request

for i in range(300): # until this process has been seen with a call that failed
    text = urllib.request.urlopen(sys.argv[1], timeout=20).read().decode()
    names = set(re.findall(r"^(dtrace_[a-z_]+)", text, re.M))
    if 'dtrace_errors_total{execname="python3",errno="2"}' in text:
        break
    try:
        os.stat("/nonexistent")
    except OSError:
        pass
    time.sleep(0.05)
else:
    sys.exit("no errors of this process: %s" % sorted(names))
wanted = set(re.findall(r"\b(dtrace_[a-z_]+)", open("docs/fleet/rules.yaml").read()))
dashboard = json.load(open("docs/fleet/dashboard.json"))
for panel in dashboard["panels"]:
    for target in panel["targets"]:
        wanted |= set(re.findall(r"\b(dtrace_[a-z_]+)", target["expr"]))
recorded = set(re.findall(r"record: \w+:(\w+):", open("docs/fleet/rules.yaml").read()))
assert len(wanted) >= 5 and wanted - names - recorded == set(), (wanted - names - recorded)
END
kill -INT $pid
wait $pid
is "status" $? 0
if command -v promtool >/dev/null 2>&1; then
	promtool check rules docs/fleet/rules.yaml >"$TMP/rules" 2>&1 || fail "rules: $(cat "$TMP/rules")"
fi
if /usr/bin/python3 -c 'import yaml' 2>/dev/null; then
	/usr/bin/python3 -c 'import sys, yaml
for path in sys.argv[1:]:
    assert all("apiVersion" in d for d in yaml.safe_load_all(open(path)))' docs/fleet/daemonset.yaml docs/fleet/sidecar.yaml || fail "yaml"
fi
# the scripts within the manifests compile
sed -n '/latency.d: |/,/^---/p' docs/fleet/daemonset.yaml | sed '1d;$d;s/^    //' >"$TMP/pod.d"
d -es "$TMP/pod.d"
ends 0 "the script of the DaemonSet"
finish
