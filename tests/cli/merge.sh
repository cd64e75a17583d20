# dtrace --merge: what several runs have written as lines of JSON (-x report=FILE.jsonl, -x oformat=jsonl), as one
# run over all of it would have printed it. What does not fit together is refused by one sentence.
# needs: user
# timeout: 120
. tests/lib/lib.sh

need python3 shuf
# the values with numbers from FROM to TO, in all aggregating functions
program='BEGIN { i = $1; } tick-1ms /i < $2/ { this->v = i * i * 7 - 140 * i; this->k = i & 1; i++; @q["k\377", this->k] = quantize(this->v);
	@l[this->k] = lquantize(this->v, -20, 50, 7); @ll = llquantize(this->v, 10, 0, 3, 20); @a["x", 2] = avg(this->v); @s[this->k] = stddev(this->v);
	@lo = min(this->v); @hi = max(this->v); @sum[(uint8_t)this->k, (int16_t)-this->k] = sum(this->v << 55); @[this->k ? "odd" : "even"] = count(); }
	tick-1ms /i == $2/ { exit(0); }'
for range in 0,41 41,141 0,141; do
	d -x report="$TMP/$range.jsonl" -qn "$program" "${range%,*}" "${range#*,}"
	ends 0 "$range"
	cp "$TMP/out" "$TMP/$range.out"
	d --merge "$TMP/$range.jsonl"
	ends 0 "--merge of $range"
	cmp "$TMP/out" "$TMP/$range.out" || fail "--merge of one file ($range)"
	d -x oformat=jsonl -qn "$program" "${range%,*}" "${range#*,}"
	cp "$TMP/out" "$TMP/o$range.jsonl"
	d --merge "$TMP/o$range.jsonl"
	cmp "$TMP/out" "$TMP/$range.out" || fail "oformat=jsonl ($range)"
done
cd "$TMP" || exit 1

# two runs are one over both inputs, whatever the order of lines, and whatever stands in front of them
d --merge 0,41.jsonl o41,141.jsonl
ends 0 "two runs"
cmp out 0,141.out || fail "two runs: $out"
is "two runs: stderr" "$err" ""
cat o0,41.jsonl 41,141.jsonl | shuf | sed 's/^/h1: /' >mixed
"$DTRACE" --merge - <mixed >out 2>err || fail "shuffled: $(cat err)"
cmp out 0,141.out || fail "shuffled, with a host in front"
"$DTRACE" --merge mixed -x report=again.jsonl -x report=m.csv -o merged >out 2>err || fail "with reports: $(cat err)"
[ ! -s out ] || fail "-o: $(cat out)"
cmp merged 0,141.out || fail "-o"
d --merge again.jsonl
cmp out 0,141.out || fail "what was merged, again"
d -x aggsortrev -x aggpack --merge mixed
like "options of sorting" "$out" "*even  *71
*odd  *70*min .----*"

# stacks and names by what they are called
d -x report=s.jsonl -x report=s.folded -x aggunit=b:bytes -qn 'pid$target:a.out::entry { @[execname, ustack(3)] = count(); @u[ufunc(ucaller), umod(ucaller)] = count();
	@b[uaddr(ucaller)] = sum(arg0); }' -c "$TARGETS/t 10 1 quiet"
cp out s.out
d --merge s.jsonl -x report=s2.folded -x report=s2.html -x report=s2.pb.gz -x report=s2.csv -x report=s2.json
ends 0 stacks
cmp s2.folded s.folded || fail "folded: $(cat s2.folded)"
sort s.out >a
sort out >b # rows of equal values are in the order of names, and were in that of addresses
cmp a b || fail "stacks: $out"
python3 -c 'import json; json.load(open("s2.json"))' || fail "json"
like "units" "$(tr -d '\r' <s2.csv)" "*
b,sum,bytes,*"
d -x hosts --merge s.jsonl
like "hosts" "$out" "*  $(uname -n)  *leaf*"

# runs that were cut, cleared, truncated
d -x oformat=jsonl -qn 'BEGIN { @c["a"] = count(); @c["b"] = count(); @c["b"] = count(); @n[1] = count(); trunc(@c, 1); clear(@n); } tick-10ms { exit(0); }'
cp out t.jsonl
d --merge t.jsonl
ends 0 "trunc() and clear()"
like "trunc(): values are lower bounds" "$err" "*@c: trunc() had cut rows off on *: values are lower bounds (>=)*"
like "clear()" "$err" "*@n: of * it is what came after the last clear()*"
grep -v '"type":"end"' 0,41.jsonl >cut.jsonl
printf '{"type":"row","run":"0' >>cut.jsonl
d --merge cut.jsonl
ends 0 "a run that was cut"
cmp out 0,41.out || fail "a run that was cut: $out"
like "a run that was cut" "$err" "*was cut: it has no end*1 files end within a line*"
: >killed.jsonl
"$DTRACE" -x oformat=jsonl -x switchrate=10ms -x aggrate=10ms -qn 'tick-5ms { n++; @ = sum(n); trace(n); printa(@); }' >killed.jsonl 2>err </dev/null &
until_said killed.jsonl '"seq":3,' $! || fail "no lines: $(cat err)"
kill -KILL $!
wait $! 2>/dev/null
python3 - killed.jsonl <<'END' || fail "killed: a line is not whole"
import json, sys
lines = open(sys.argv[1]).read().split("\n")
types = [json.loads(l)["type"] for l in lines[:-1]]
assert types[0] == "run" and {"probe", "record", "agg", "row"} <= set(types) and "end" not in types, types
END
d --merge killed.jsonl
ends 0 "killed"
like "killed" "$err" "*was cut: it has no end*"

# refused, by one sentence
refused() { # refused WHAT PATTERN FILE...
	what=$1 pattern=$2
	shift 2
	d --merge "$@"
	ends 1 "$what"
	is "$what: output" "$out" ""
	is "$what: lines" "$(echo "$err" | wc -l)" 1
	# shellcheck disable=SC2254
	like "$what" "$err" "$pattern"
}
refused "a file given twice" "dtrace: 0,41.jsonl, line 1: run * is there already (0,41.jsonl): each counts once" 0,41.jsonl 0,41.jsonl
for n in 5 7; do
	d -x report=l$n.jsonl -qn 'BEGIN { @l = lquantize(1, 0, 50, '$n'); exit(0); }'
	d -x report=n$n.jsonl -qn 'BEGIN { @c = count(); normalize(@c, '$n'); exit(0); }'
	d -x report=k$n.jsonl -qn 'BEGIN { @c[(int'$((n == 5 ? 8 : 16))'_t)1] = count(); exit(0); }'
done
refused "other steps" "dtrace: @l: lquantize(0,50,*) on *, lquantize(0,50,*) on *: not merged" l5.jsonl l7.jsonl
refused "other normals" "dtrace: @c: normalize(?) on *, normalize(?) on *: not merged" n5.jsonl n7.jsonl
refused "other keys" "dtrace: @c: its keys on * are of other kinds than on *: not merged" k5.jsonl k7.jsonl
refused "another function" "dtrace: @: * on *, * on *: not merged" s.jsonl killed.jsonl
grep -v '"agg":"l","seq":1,"k":\[0\]' 0,41.jsonl >missing.jsonl
refused "missing rows" "dtrace: missing.jsonl: @l of run * has 2 rows, of which 1 are here: lines are missing" missing.jsonl
{ head -3 0,41.jsonl && echo 'no json' && tail -1 0,41.jsonl; } >bad.jsonl
refused "no JSON" "dtrace: bad.jsonl, line 4: no JSON: a value is missing at byte 1" bad.jsonl
sed 's/"v":1/"v":2/' 0,41.jsonl >version.jsonl
refused "another version" "dtrace: version.jsonl, line 1: lines of another version: v is not 1" version.jsonl
python3 -c 'print("[" * 1000000)' >deep.jsonl
refused "too deep" "dtrace: deep.jsonl, line 1: no JSON: it is too deep*" deep.jsonl
printf '{"type":"run","run":"0123456789abcdef","v":1180591620717411303424}\n' >big.jsonl
refused "2^70" "dtrace: big.jsonl, line 1: lines of another version: v is not 1" big.jsonl
printf '{"type":\0"run"}\n' >nul.jsonl
refused "NUL" "dtrace: nul.jsonl, line 1: no JSON: *" nul.jsonl
: >empty
refused "nothing" "dtrace: nothing to merge: *" empty
refused "no file" "dtrace: failed to open nosuch: No such file or directory" nosuch
refused "a folder" "dtrace: .: it cannot be read: Is a directory" .
refused "a form of lines" "dtrace: --merge prints lines; *" -x oformat=json 0,41.jsonl
for bad in "-n BEGIN" "-p 1" "-c true" "-l" "-E x"; do
	# shellcheck disable=SC2086
	d --merge 0,41.jsonl $bad
	ends 2 "--merge $bad"
	like "--merge $bad" "$err" "dtrace: --merge reads what runs have written: ${bad%% *} has no place beside it"
done
d --merge
ends 2 "no files"
is "no files" "$err" "dtrace: --merge needs files (-: standard input)"
finish
