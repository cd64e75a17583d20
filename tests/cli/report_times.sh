# Pictures over time in a page (-x report=FILE.html): heat maps of histograms, series of counts; what intervals hold adds up to what
# the run counted, however much was joined (-x reportsize) and whatever was cleared. Differences to an earlier report (-x baseline).
# needs: user
# timeout: 120
. tests/lib/lib.sh

need python3
cat >"$TMP/page.py" <<'END'
import json, re
def page(path):
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', open(path, encoding="utf-8").read(), re.S)[1])
    assert data["v"] == 1
    return {a["name"]: a for a in data["aggs"]}
END
program='BEGIN { i = 0; } tick-1ms /i < 400/ { i++; @q[i & 1] = quantize(i * 3 - 100); @l = lquantize(i, 50, 300, 10); @ll = llquantize(i - 200, 10, 0, 3, 20);
	@n[i % 5 ? "some" : "all"] = sum(i); @c = count(); @a = avg(i); } tick-1ms /i == 400/ { exit(0); } tick-10ms { clear(@q); trunc(@n); }'
for size in 64m 64k; do
	d -x report="$TMP/$size.html" -x reportsize=$size -x reportrate=10ms -x aggrate=10ms -qn "$program"
	ends 0 "$size"
	PYTHONPATH=$TMP python3 - "$TMP/$size.html" $size <<'END' || fail "$size"
import sys
from page import page
aggs = page(sys.argv[1])
values = {"q": [i * 3 - 100 for i in range(1, 401)], "l": range(1, 401), "ll": [i - 200 for i in range(1, 401)]}
for name, of in values.items():
    a = aggs[name]
    total = sum(n for r in a["rows"] for b, n in r["b"])
    cells = {}
    for t in a["times"]:
        for b, n in t["b"]:
            cells[b] = cells.get(b, 0) + n
    assert total == sum(cells.values()) == 400, (name, total, cells)
    assert len(a["times"]) >= (10 if sys.argv[2] == "64m" else 3), len(a["times"])
    times = [t["t"] for t in a["times"]]
    assert times == sorted(times) and times[0] >= 0
    for r in a["rows"]:
        for b, n in r["b"]:
            assert not isinstance(b, int) or n <= cells.get(b, 0), (name, b, n)
assert sum(c for b, c in ((b, n) for t in aggs["q"]["times"] for b, n in t["b"]) if b == 256) == sum(256 <= v < 512 for v in values["q"])
n = aggs["n"]
assert {s["k"][0] for s in n["series"]} == {"some", "all"} and "series" not in aggs["a"], n
for s in n["series"]:
    before, total = 0, 0
    for t, v in s["p"]:
        total += v * (t - before)
        before = t
    want = sum(i for i in range(1, 401) if (i % 5 == 0) == (s["k"][0] == "all"))
    assert abs(total - want) < want / 4, (s["k"], total, want)
    assert sum(r["v"] for r in n["rows"] if r["k"] == s["k"]) == want
END
done
d -x report="$TMP/short.html" -qn 'BEGIN { @q = quantize(1); @c = count(); exit(0); }'
PYTHONPATH=$TMP python3 -c 'import sys; from page import page; a = page(sys.argv[1]); assert "times" not in a["q"] and "series" not in a["c"]' "$TMP/short.html" || fail "few intervals"

# differences: the same by a page, by folded stacks and by lines of JSON; the other way round the signs change
run() { # run NAME N OPTIONS...
	name=$1 n=$2
	shift 2
	d -x report="$TMP/$name.html" -x report="$TMP/$name.folded" -x report="$TMP/$name.jsonl" "$@" -qn 'fpid$target:a.out:leaf:entry,
		fpid$target:a.out:recurse:entry { @c[ustack(6)] = count(); @n = count(); }' -c "$TARGETS/t $n 1 quiet"
	ends 0 "$name"
}
run a 20
run b 300
for form in html folded jsonl; do
	run "b_a_$form" 300 -x baseline="$TMP/a.$form"
	run "a_b_$form" 20 -x baseline="$TMP/b.$form"
	run "a_a_$form" 20 -x baseline="$TMP/a.$form"
done
PYTHONPATH=$TMP python3 - "$TMP" <<'END' || fail "differences"
import sys
from page import page
def points(name):
    a = page(sys.argv[1] + "/" + name)["c"]
    assert a["base"] is True
    v, w = (sum(r.get(k, 0) for r in a["rows"]) for k in "vw")
    out = {}
    for r in a["rows"]:
        key = tuple(a["frames"][i][0] for i in r["s"])
        out[key] = out.get(key, 0) + r["v"] / v - r.get("w", 0) / w
    return v, w, out
first = points("b_a_html.html")
for form in "html", "folded", "jsonl":
    v, w, d = points("b_a_%s.html" % form)
    assert (v, w, d) == first, (form, d, first)
    rv, rw, r = points("a_b_%s.html" % form)
    assert (rv, rw) == (w, v) and r.keys() == d.keys() and all(abs(r[k] + d[k]) < 1e-9 for k in d), (form, r, d)
    assert any(abs(x) > 0.01 for x in d.values()), d
    sv, sw, same = points("a_a_%s.html" % form)
    assert sv == sw and not any(same.values()), (form, same)
assert "base" not in page(sys.argv[1] + "/a.html")["c"]
END
# what only the baseline has
echo 'main;old;older 77' >"$TMP/old.folded"
run gone 20 -x baseline="$TMP/old.folded"
PYTHONPATH=$TMP python3 - "$TMP/gone.html" <<'END' || fail "gone"
import sys
from page import page
a = page(sys.argv[1])["c"]
gone = [r for r in a["rows"] if r["v"] == 0]
assert len(gone) == 1 and gone[0]["w"] == 77 and [a["frames"][i][0] for i in gone[0]["s"]] == ["older", "old", "main"], gone
END
d -x report="$TMP/none.html" -x baseline="$TMP/a.html" -qn 'fpid$target:a.out:leaf:entry { @other[ustack(6)] = count(); }' -c "$TARGETS/t 20 1 quiet"
ends 0 "another aggregation"
like "another aggregation" "$err" "dtrace: report $TMP/none.html: $TMP/a.html has no @other by stacks: no difference to it"

# what it was before the run, also where a report replaces it, and for each of several
cp "$TMP/a.html" "$TMP/self.html"
d -x report="$TMP/self.html" -x report="$TMP/other.html" -x baseline="$TMP/self.html" -qn 'fpid$target:a.out:leaf:entry,
	fpid$target:a.out:recurse:entry { @c[ustack(6)] = count(); @n = count(); }' -c "$TARGETS/t 300 1 quiet"
ends 0 "it is replaced"
PYTHONPATH=$TMP python3 - "$TMP" <<'END' || fail "it is replaced"
import sys
from page import page
rows = [page("%s/%s.html" % (sys.argv[1], name))["c"]["rows"] for name in ("self", "other", "b_a_html")]
assert rows[0] == rows[1] == rows[2] and any(r.get("w") not in (None, r["v"]) for r in rows[0]), rows
END

# refused before anything is started
refused() { # refused WHAT FILE PATTERN
	d -x report="$TMP/x.html" -x baseline="$2" -qn 'BEGIN { exit(0); }' -c "touch $TMP/started"
	ends 1 "$1"
	like "$1" "$err" "dtrace: baseline$3"
	[ ! -e "$TMP/started" ] || fail "$1: the program was started"
}
refused "no file" "$TMP/nosuch" " $TMP/nosuch: it cannot be read: No such file or directory"
printf 'a;b 3\na;b\n' >"$TMP/bad.folded"
refused "no folded stacks" "$TMP/bad.folded" " $TMP/bad.folded, line 2: no stack and its value"
echo '<html></html>' >"$TMP/bad.html"
refused "no page" "$TMP/bad.html" " $TMP/bad.html: a page without the data of a report"
sed 's/{"v":1,/{"v":2,/' "$TMP/a.html" >"$TMP/v2.html"
refused "another version" "$TMP/v2.html" " $TMP/v2.html: data of another version: v is not 1"
echo '{"type":' >"$TMP/bad.jsonl"
refused "no lines of JSON" "$TMP/bad.jsonl" ": *$TMP/bad.jsonl*"
finish
