# -x report=FILE: what was aggregated as a file besides the lines, which stay as they are: folded stacks, a
# flame graph (SVG), tables (CSV, TSV). Judged by Python's csv and xml, and by what lines say.
# needs: user
# timeout: 60
. tests/lib/lib.sh

[ -x /usr/bin/python3 ] || skip "no python3"
py() { /usr/bin/python3 -c "$@"; }
stacks='pid$target:a.out:leaf:entry { @c[execname, ustack(10)] = count(); } '
t="$TARGETS/t 100 2 quiet"

# several at once; lines, messages and status are the same as without
d -qn "$stacks END { exit(3); }" -c "$t"
lines=$out
d -x report="$TMP/a.folded" -x report="$TMP/a.svg" -x report="$TMP/a.csv" -x report="tsv:$TMP/a.tab" -qn "$stacks END { exit(3); }" -c "$t"
ends 3 "four reports"
like "four reports: stderr" "$err" ""
is "four reports: lines" "$out" "$lines"
for f in a.folded a.svg a.csv a.tab; do
	[ -s "$TMP/$f" ] || fail "$f: empty or missing"
done
[ -z "$(ls "$TMP" | grep tmp)" ] || fail "something is left: $(ls "$TMP")"
d -qn "#pragma D option report=$TMP/p.folded
$stacks" -c "$t"
cmp -s "$TMP/p.folded" "$TMP/a.folded" || fail "by a pragma: $(cat "$TMP/p.folded")"
DTRACE_OPT_REPORT=$TMP/e.folded d -qn "$stacks" -c "$t"
cmp -s "$TMP/e.folded" "$TMP/a.folded" || fail "by the environment: $(cat "$TMP/e.folded" 2>&1)"

# folded: outermost first, no offsets, sorted; the sum is that of the program's calls
is "folded" "$(cat "$TMP/a.folded")" "t;clone3;start_thread;thread_main;work;leaf 220"
d -x report="$TMP/b.folded" -qn 'pid$target:a.out:recurse:entry, pid$target:a.out:leaf:entry { @[ustack(5)] = count(); @n["n"] = count(); }' -c "$t"
LC_ALL=C sort -c "$TMP/b.folded" || fail "folded: not sorted"
grep -vq '^[^ ].*;.* [1-9][0-9]*$' "$TMP/b.folded" && fail "folded: $(cat "$TMP/b.folded")"
is "folded: sum" "$(awk '{ n += $NF } END { print n }' "$TMP/b.folded")" "$(echo "$out" | awk '$1 == "n" { print $2 }')"
like "folded: what is left out" "$err" "*report $TMP/b.folded: @n (count) left out*"

# frames of names that mean something to readers
d -x report="$TMP/c.folded" -x report="$TMP/c.svg" -x report="$TMP/c.csv" -x report="$TMP/c.tsv" -qn \
	'pid$target:a.out:leaf:entry { @["a;b\nc<&\"\377,", ustack(2), arg0 & 1] = count(); }' -c "$TARGETS/t 10 1 quiet"
ends 0 "hostile names"
is "hostile names: folded" "$(sed 's/ [0-9]*$//' "$TMP/c.folded")" "$(printf 'a:b c<&"\357\277\275,;work;leaf;0\na:b c<&"\357\277\275,;work;leaf;1')"
py '
import csv, sys, xml.etree.ElementTree as x
rows = list(csv.reader(open(sys.argv[1], newline="", encoding="utf-8", errors="surrogateescape"), strict=True))
assert rows[0] == ["aggregation", "function", "unit", "from", "to", "value", "count", "key1", "ustack", "key3"], rows[0]
assert len({len(r) for r in rows}) == 1
assert rows[1][7] == "a;b\nc<&\"\udcff,", rows[1]
assert rows[1][8].split(";")[-1].endswith("`leaf") and rows[1][8].count(";") == 1, rows[1]
assert sum(int(r[5]) for r in rows[1:]) == 11, rows
tabs = [l.split("\t") for l in open(sys.argv[2], errors="surrogateescape").read().split("\n")[:-1]]
assert [len(r) for r in tabs] == [len(r) for r in rows] and tabs[1][7] == "a;b\\nc<&\"\udcff,", tabs
titles = [e.text for e in x.parse(sys.argv[3]).iter("{http://www.w3.org/2000/svg}title")]
assert titles[1].startswith("all: 11 hits (100.00%)"), titles
assert any(t.startswith("a:b c<&\"\ufffd,: 11 hits") for t in titles), titles
' "$TMP/c.csv" "$TMP/c.tsv" "$TMP/c.svg" || fail "hostile names: $(cat "$TMP/c.csv" "$TMP/c.tsv")"
grep -q '<script' "$TMP/c.svg" && fail "svg: a script"

# all functions in one table: bounds of buckets hold what fell in them
d -x report="$TMP/d.csv" -qn 'BEGIN { n = -9223372036854775807 - 1; i = 0; } tick-1ms /i < 41/ { this->v = i * 7 - 140; i++;
	@q["k"] = quantize(this->v); @l = lquantize(this->v, -20, 50, 7); @ll = llquantize(this->v, 10, 0, 3, 20);
	@a[1, 2] = avg(this->v); @s = stddev(this->v); @lo = min(n); @hi = max(this->v); @sum = sum(this->v); @c = count(); }
	tick-1ms /i == 41/ { exit(0); }'
ends 0 "all functions"
py '
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline=""), strict=True))
values = [i * 7 - 140 for i in range(41)]
one = {r["aggregation"]: r for r in rows if r["from"] == r["to"] == ""}
assert one["lo"]["value"] == str(-2**63) and one["hi"]["value"] == "140" and one["sum"]["value"] == "0", one
assert one["c"]["value"] == "41" and one["a"]["count"] == one["s"]["count"] == "41" and one["a"]["value"] == "0", one
for name in "q", "l", "ll":
    for r in rows:
        if r["aggregation"] != name:
            continue
        lo = int(r["from"]) if r["from"] else -10**9
        hi = int(r["to"]) if r["to"] else 10**9
        n = sum(lo <= v <= hi for v in values)
        assert n == int(r["value"]), (r, n)
    assert sum(int(r["value"]) for r in rows if r["aggregation"] == name) == 41, name
' "$TMP/d.csv" || fail "all functions: $(cat "$TMP/d.csv")"

# what was cleared and cut off is in the report
d -x report="$TMP/f.folded" -x report="$TMP/f.csv" -qn 'fpid$target:a.out:leaf:entry { @[ustack(3)] = count(); }
	tick-10ms { printa(@); clear(@); trunc(@, 1); }' -c "$TARGETS/t 12000000 2 quiet"
is "clear() and trunc()" "$(awk '{ n += $NF } END { print n }' "$TMP/f.folded")" 26400000

# by a signal to the command
for sig in INT TERM; do
	rm -f "$TMP/s.csv" "$TMP/armed"
	/usr/bin/python3 -c '
import os, signal, subprocess, sys, time
p = subprocess.Popen([sys.argv[1], "-x", "report=" + sys.argv[2], "-qn", "BEGIN { @[\"n\"] = count(); printf(\"armed\\n\"); }"],
                     stdout=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
assert p.stdout.readline() == b"armed\n"
p.send_signal(getattr(signal, "SIG" + sys.argv[3]))
p.communicate()
sys.exit(p.returncode)
' "$DTRACE" "$TMP/s.csv" $sig
	is "SIG$sig: the report" "$(tr -d '\r' <"$TMP/s.csv" | tail -1)" ",count,count,,,1,,n"
done

# a reader of a FIFO gets it when it is there, and not an end before
mkfifo "$TMP/fifo"
cat "$TMP/fifo" >"$TMP/read" &
d -x report=folded:"$TMP/fifo" -qn "$stacks" -c "$t"
ends 0 "a FIFO"
wait $!
is "a FIFO" "$(cat "$TMP/read")" "t;clone3;start_thread;thread_main;work;leaf 220"

# where no aggregation has a stack
d -x report="$TMP/g.svg" -x report="$TMP/g.folded" -qn 'BEGIN { @a = count(); exit(0); }'
ends 0 "no stacks"
like "no stacks" "$err" "*report $TMP/g.svg: no aggregation that counts or sums up has a stack for a key*"
[ -f "$TMP/g.folded" ] && [ ! -s "$TMP/g.folded" ] || fail "no stacks: the file"
py 'import sys, xml.etree.ElementTree as x; x.parse(sys.argv[1])' "$TMP/g.svg" || fail "no stacks: svg"

# straight to what is no file
d -x report=folded:/dev/stdout -qn "$stacks" -c "$t"
is "to stdout" "$(echo "$out" | tail -1)" "t;clone3;start_thread;thread_main;work;leaf 220"
[ -L /dev/stdout ] || fail "/dev/stdout is not what it was"

# what cannot be written is told before anything is started
for bad in "$TMP/x.foo 'report $TMP/x.foo: unknown form .foo; say folded:$TMP/x.foo, or one of folded, html, svg, pprof, speedscope, perfetto, chrome, jsonl, json, csv, tsv'" \
	"$TMP/none 'report $TMP/none: its name does not say which form; say folded:*'" \
	"/nonexistent/x.svg 'report /nonexistent/x.svg: it cannot be written: No such file or directory'"; do
	eval "set -- $bad"
	d -x report="$1" -qn 'BEGIN { exit(0); }' -c "touch $TMP/started"
	ends 1 "report $1"
	like "report $1" "$err" "*$2*"
	[ ! -e "$TMP/started" ] || fail "report $1: the program was started"
done
mkdir "$TMP/dir"
d -x report="$TMP/dir/x.csv" -qn 'BEGIN { @ = count(); system("chmod 555 '"$TMP/dir"'"); exit(0); }' -w
[ "$(id -u)" = 0 ] || ends 1 "a folder that cannot be written any more"
chmod 755 "$TMP/dir"
# A link to a descriptor that leads nowhere (/dev/stdout without /proc) is no file of ours: it is refused, and stays.
ln -s /proc/self/fd/999 "$TMP/link.csv"
d -x report="$TMP/link.csv" -qn 'BEGIN { @ = count(); exit(0); }'
ends 1 "a link that leads nowhere"
like "a link that leads nowhere" "$err" "dtrace: report $TMP/link.csv: it cannot be written: *"
is "the link" "$(readlink "$TMP/link.csv")" /proc/self/fd/999
ln -s /proc/self/fd/1 "$TMP/out.csv"
got=$("$DTRACE" -x report="$TMP/out.csv" -qn 'BEGIN { @n = count(); exit(0); }' | tail -1 | tr -d '\r')
like "a link to the output" "$got" "n,count,*"
is "that link" "$(readlink "$TMP/out.csv")" /proc/self/fd/1
finish
