# Each integer is counted in the bucket whose bound is the first that is not below it: at the powers of two and beside them, of both signs; and
# keys that are one as text are one row, with the sum of both.
# needs: user
. tests/lib/lib.sh

[ -x /usr/bin/python3 ] || skip "no python3"
/usr/bin/python3 - >"$TMP/values.d" <<'END'
values = {s * (2 ** k - d) for k in range(63) for d in (0, 1) for s in (1, -1)}
print("BEGIN\n{")
for v in sorted(values):
    text = "%dLL" % v if v > -2 ** 63 else "(-%dLL - 1)" % (2 ** 63 - 1)
    print('\t@q["%d"] = quantize(%s); @l["%d"] = lquantize(%s, -100, 5000, 7); @ll["%d"] = llquantize(%s, 10, 0, 18, 20);' % ((v, text) * 3))
print('\t@one["\\376"] = sum(3); @one["\\377"] = sum(4);\n\texit(0);\n}')
END
d -qs "$TMP/values.d" -x report="$TMP/x.prom" -x aggsize=64m -x bufsize=1m -o "$TMP/lines"
ends 0 "a run"
is "what is said" "$err" ""
/usr/bin/python3 - "$TMP/x.prom" <<'END' || fail "bounds"
import collections, math, re, sys

rows = collections.defaultdict(list)
one = []
for line in open(sys.argv[1], encoding="utf-8"):
    m = re.fullmatch(r'dtrace_(q|l|ll)_bucket\{key1="(-?\d+)",le="([^"]+)"\} (\d+)\n', line)
    if m:
        rows[m[1], int(m[2])].append((math.inf if m[3] == "+Inf" else int(m[3]), int(m[4])))
    if line.startswith("dtrace_one"):
        one.append(line)
values = {s * (2 ** k - d) for k in range(63) for d in (0, 1) for s in (1, -1)}
assert {v for f, v in rows if f == "q"} == values and len(rows) == 3 * len(values), (len(rows), len(values))
for (f, v), buckets in rows.items():
    assert buckets == sorted(buckets), (f, v)
    for bound, n in buckets:
        assert n == (v <= bound), (f, v, bound, n)
    # bounds that are as near to each other as the function's own
    low = max([b for b, n in buckets if n == 0], default=-math.inf)
    high = min(b for b, n in buckets if n)
    if f == "q" and v > 0 and high < math.inf and low > 0:
        assert high == 2 * low + 1 and low < v <= high, (v, low, high)
assert one == ['dtrace_one{key1="\ufffd"} 7\n'], one
END
finish
