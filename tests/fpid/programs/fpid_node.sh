# node, 80,000 functions, under a program that keeps its garbage collector busy: every entry and every return
# counted, and what it says and how it ends is what it was.
# needs: user
# timeout: 180
. tests/lib/lib.sh
need node

cat >"$TMP/gc.js" <<'J'
const crypto = require('crypto');
const keep = [];
let sum = 0;
for (let i = 0; i < 10000; i++) {
	keep[i % 500] = { i, s: 'x'.repeat(i % 50), a: [i, i + 1, { b: i }] };
	sum += JSON.stringify(keep[i % 500]).length;
	if (i % 1000 === 0)
		global.gc();
}
try {
	null.x;
} catch (e) {
	sum += e.message.length;
}
console.log(sum, crypto.createHash('sha256').update(JSON.stringify(keep)).digest('hex'));
process.exitCode = 5;
J
node --expose-gc "$TMP/gc.js" >"$TMP/want" || [ $? = 5 ] || fail "node does not run here"
for probes in 'fpid$target:::return' 'fpid$target:::entry, fpid$target:::return'; do
	d -x fpidfallback=none -n "$probes"' { @[probename] = count(); }' -o "$TMP/agg" -c "node --expose-gc $TMP/gc.js"
	ends 0 "$probes"
	cmp -s "$TMP/want" "$TMP/out" || fail "$probes: $out $err"
	like "$probes" "$err" "*exited with status 5*"
	like "$probes" "$err" "*fpid: [1-9][0-9][0-9][0-9]* functions: [1-9][0-9][0-9][0-9]* hooked, *"
	awk 'NF == 2 && $2 < 100000 { exit 1 } NF == 2 { n++ } END { exit !n }' "$TMP/agg" || fail "$probes: $(cat "$TMP/agg")"
	rm -f "$TMP/agg"
done
finish
