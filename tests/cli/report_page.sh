# -x report=FILE.html: one page with its data and its script, which it alone allows; hostile names harm
# nothing; those who run no scripts see tables. Opened in Chromium, where it is installed.
# needs: user
# timeout: 90
. tests/lib/lib.sh

[ -x /usr/bin/python3 ] || skip "no python3"
evil='</script><img src=x onerror=alert(1)>'
d -x report="$TMP/x.html" -qn 'fpid$target:a.out::entry { @f["'"$evil"'", ustack(10)] = count(); @q[probefunc] = quantize(arg0 & 63);
	@a["\342\200\250&\377", arg0 & 3] = sum(arg0 & 7); @n["all"] = count(); @big = sum(9007199254740993);
	@mean = avg(arg0 & 7); @dev = stddev(arg0 & 7); }' -c "$TARGETS/t 100 1 quiet"
ends 0 "a page"
like "a page" "$err" ""
all=$(echo "$out" | awk '$1 == "all" { print $2 }')
/usr/bin/python3 -c '
import base64, datetime, hashlib, html, json, re, shlex, sys
page = open(sys.argv[1], encoding="utf-8").read()
evil, total = sys.argv[2], int(sys.argv[3])
assert evil not in page and "<img" not in page.split("<script")[0], "a name is an element"
scripts = re.findall(r"<script([^>]*)>(.*?)</script>", page, re.S)
assert len(scripts) == 2, len(scripts)
data = json.loads(scripts[0][1])
sha = base64.b64encode(hashlib.sha256(scripts[1][1].encode()).digest()).decode()
assert "script-src \x27sha256-%s\x27" % sha in page, "not the hash of its script: " + sha
assert "default-src \x27none\x27" in page and not re.search(r"(src|href)=\"?(http|//)", page)
aggs = {a["name"]: a for a in data["aggs"]}
f = aggs["f"]
assert f["kind"] == "flame" and sum(r["v"] for r in f["rows"]) == total, f
assert all(f["frames"][r["s"][-1]] == [evil, ""] for r in f["rows"]), f["frames"]
names = {f["frames"][r["s"][0]][0] for r in f["rows"]}
assert {"leaf", "branchy", "main"} <= names and ["work", "t"] in f["frames"], names
assert aggs["q"]["kind"] == "hist" and sum(b[1] for r in aggs["q"]["rows"] for b in r["b"]) == total
assert aggs["a"]["rows"][0]["k"][0] == "\u2028&\ufffd" and "\u2028" not in scripts[0][1]
assert aggs["big"]["rows"][0]["v"] == str(9007199254740993 * total % 2**64), aggs["big"]
assert aggs["n"]["keys"] == ["key1"] and aggs["n"]["rows"] == [{"k": ["all"], "v": total}], aggs["n"]
bits = sum(r["v"] for r in aggs["a"]["rows"])
mean = aggs["mean"]["rows"][0]
assert mean == {"k": [], "v": bits // total, "n": total} and aggs["dev"]["rows"][0]["n"] == total and aggs["dev"]["rows"][0]["mean"] == bits // total, (mean, aggs["dev"])
command = shlex.split(html.unescape(re.search(r"<dt>command</dt><dd class=\"mono\">(.*?)</dd>", page, re.S)[1]))
assert command[0].endswith("dtrace") and "-qn" in command and evil in command[command.index("-qn") + 1], command
began, written = (datetime.datetime.strptime(re.search(r"<dt>%s</dt><dd>(.*?)</dd>" % t, page)[1], "%Y-%m-%d %H:%M:%S %z") for t in ("began", "written"))
assert 0 <= (written - began).total_seconds() < 60, (began, written)
said = dict(re.findall(r"<dt>(\w+)</dt><dd[^>]*>(.*?)</dd>", page))
run = data["run"]
assert list(said)[0] == "drops" and said["version"] == run["version"] == "2.0" and said["records"] == "0", said
assert re.fullmatch(r".*/t 100 1 quiet \(pid [1-9][0-9]*\)", said["targets"]) and run["targets"] == said["targets"], said
assert re.fullmatch(r"[0-9]+\.[0-9]{3} s", said["length"]) and 0 < run["length_ns"] < 60e9, said
assert "records" not in data
static = page.split("<div id=\"static\">")[1].split("</div>")[0]
assert static.count("<h2>") == 7 and "&lt;/script&gt;" in static and "<td class=\"n\">%d</td>" % total in static
' "$TMP/x.html" "$evil" "$all" || fail "the page: $(head -c 3000 "$TMP/x.html")"

# stacks of values that are not above 0 have no width: how many there are stands below
d -x report="$TMP/l.html" -qn 'pid$target:a.out:leaf:entry { @s[ustack(2), arg0 & 1] = sum(arg0 & 1 ? 5 : -1); }' -c "$TARGETS/t 10 1 quiet"
grep -qE ",\"left\":$(echo "$out" | awk 'NF == 2 && $1 == 0 && $2 < 0' | wc -l),\"frames\"" "$TMP/l.html" || fail "rows that are left out: $(grep -o '"left[^[]*' "$TMP/l.html")"
like "rows that are left out" "$err" "dtrace: report $TMP/l.html: * rows of @s left out: their values are not above 0"

# the last records, with what they printed and traced; those that did something else are not there
d -x report="$TMP/r.html" -qn 'pid$target:a.out:leaf:entry { printf("leaf %d of\n%s\n", arg0, "'"$evil"'"); i++; }
	pid$target:a.out:main:entry { trace(pid); trace("\377"); ustack(2); } pid$target:a.out:main:return { @ = count(); clear(@); }
	pid$target:a.out:main:return {} END { printf("end %d", i); }' -c "$TARGETS/t 900 3 quiet"
ends 0 "records"
/usr/bin/python3 -c '
import json, re, sys
page = open(sys.argv[1], encoding="utf-8").read()
evil, out = sys.argv[2], open(sys.argv[3], encoding="utf-8", errors="replace").read()
calls = int(re.search("end ([0-9]+)", out)[1])
assert evil not in page
data = json.loads(re.search(r"<script type=\"application/json\" id=\"data\">(.*?)</script>", page, re.S)[1])
rows = data["records"]
assert 990 < len(rows) < 1000 and data["run"]["records"] == calls + 4, (len(rows), data["run"], calls)
assert all(a[0] <= b[0] for a, b in zip(rows, rows[1:]))
leafs = [r for r in rows if r[4].endswith(":leaf:entry")]
assert re.match(r"pid[0-9]+:t:leaf:entry$", leafs[0][4]) and leafs[0][2] in (int(i) for i in re.findall("[0-9]+", leafs[0][4])), leafs[0]
assert all(re.fullmatch("leaf [0-9]+ of\n" + re.escape(evil), r[5]) for r in leafs)
printed = "".join(r[5] + "\n" for r in leafs)
assert out.replace("\n\n", "\n").count("leaf") == calls and printed in out, printed[:200]
assert rows[-1][4:] == ["dtrace:::END", "end %d" % calls], rows[-1]
assert [r[5] for r in rows if r[4].endswith("main:return")] == [""]
static = page.split("<div id=\"static\">")[1].split("</div>")[0]
assert static.count("<tr>") == 20 + 1 and "&lt;/script&gt;" in static and "The last of %d records." % (calls + 4) in static, static
' "$TMP/r.html" "$evil" "$TMP/out" || fail "records: $(head -c 3000 "$TMP/r.html")"

browser=$(command -v chromium-headless-shell || command -v chromium)
if [ -n "$browser" ] && [ "$(id -u)" != 0 ]; then
	HOME=$TMP timeout 60 "$browser" --headless --no-sandbox --disable-gpu --dump-dom --virtual-time-budget=3000 \
		"file://$TMP/x.html" >"$TMP/dom" 2>"$TMP/browser" || fail "$browser: $(tail -3 "$TMP/browser")"
	like "drawn" "$(cat "$TMP/dom")" "*all: $(echo "$all" | sed ':a;s/\([0-9]\)\([0-9]\{3\}\)\($\|,\)/\1,\2\3/;ta') (100.0% of all*"
	[ "$(grep -o 'role="treeitem"' "$TMP/dom" | wc -l)" -gt 10 ] || fail "drawn: few frames"
	grep -q '<img' "$TMP/dom" && fail "a name became an element"
	grep -q 'id="static" hidden' "$TMP/dom" || fail "the tables of those without scripts are shown, too"
fi
finish
