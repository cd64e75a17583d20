# A page of -x report=FILE.html in Chromium: it asks nobody for anything, fits its window, is worked by keys, hostile names harm
# nothing, what is too narrow to be drawn is counted; large pages are quick; without scripts there are tables. axe-core judges
# what others than eyes get of it, where it is installed (npm install axe-core; NODE_PATH).
# needs: user
# timeout: 180
. tests/lib/lib.sh

need python3 node
browser=$(command -v chromium-headless-shell || command -v chromium) || skip "no chromium"
evil='</script><img src=x onerror=alert(1)>'
d -x report="$TMP/x.html" -x report="$TMP/x.folded" -x reportrate=10ms -x aggrate=10ms -qn 'fpid$target:a.out::entry { @f[ustack(10)] = count(); }
	BEGIN { @e["'"$evil"'", "\342\200\250", "\377"] = count(); @q["'"$evil"'"] = quantize(3); i = 0; } tick-1ms { i++; @h = quantize(i); @s[i & 1] = count(); }
' -c "$TARGETS/t 12000000 1 quiet"
ends 0 "a page"
# 10,000 stacks of 30 frames, as lines of JSON
python3 - "$TMP" <<'END'
import json, random, sys
random.seed(1)
run, out = "0123456789abcdef", open(sys.argv[1] + "/big.jsonl", "w")
def line(**v):
    out.write(json.dumps(v) + "\n")
line(type="run", run=run, v=1, host="h", wall_ns=1)
line(type="agg", run=run, name="big", func="count", params=[], keys=[{"name": "ustack", "kind": "ustack"}], unit="count", id=1, normal=1, seq=1, final=True, rows=10000)
for i in range(10000):
    frames = [["m%d" % (f % 7), "rare" if (i, f) == (77, 9) else "f%d_%d" % (f, random.randrange(3 + f)), f] for f in range(30)]
    line(type="row", run=run, agg="big", seq=1, k=[{"s": frames, "p": 1}], raw=1 if i == 77 else 1 + i % 50)
line(type="end", run=run, rows=10000, drops=0)
# 150,000 rows, and 30 histograms
run, out = run[::-1], open(sys.argv[1] + "/rows.jsonl", "w")
line(type="run", run=run, v=1, host="h", wall_ns=1)
line(type="agg", run=run, name="rows", func="sum", params=[], keys=[{"name": "n", "kind": "int", "size": 4, "signed": True}], unit="", id=1, normal=1, seq=1, final=True, rows=150000)
for i in range(150000):
    line(type="row", run=run, agg="rows", seq=1, k=[i], raw=i * 7919 % 150000)
line(type="agg", run=run, name="hists", func="quantize", params=[], keys=[{"name": "n", "kind": "int", "size": 4, "signed": True}], unit="", id=2, normal=1, seq=1, final=True, rows=30)
for i in range(30):
    line(type="row", run=run, agg="hists", seq=1, k=[i], b={"4": i + 1}, under=0, over=0)
line(type="end", run=run, rows=150030, drops=0)
END
for big in big rows; do
	d --merge "$TMP/$big.jsonl" -x report="$TMP/$big.html"
	ends 0 "$big"
done
[ "$(stat -c %s "$TMP/big.html")" -lt 4000000 ] || fail "10,000 stacks: $(stat -c %s "$TMP/big.html") bytes"

cat >"$TMP/test.js" <<'END'
'use strict';
const [tools, command, tmp, evil] = process.argv.slice(2), assert = require('assert'), fs = require('fs');
(async () => {
	const browser = await require(tools + '/browser.js').start(command, tmp + '/profile');
	let axe;
	try {
		axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
	} catch (e) {
		console.log('SKIP: no axe-core');
	}
	try {
		for (const how of [{width: 1280}, {width: 390}, {width: 1280, dark: true}, {width: 390, dark: true}]) {
			const page = await browser.open('file://' + tmp + '/x.html', how);
			assert.deepStrictEqual([await page.run('document.documentElement.scrollWidth'), page.requests.length, page.messages, page.dialogs,
				await page.run('document.images.length')], [how.width, 1, [], 0, 0], JSON.stringify([how, page.requests, page.messages]));
			assert(await page.run(`document.body.textContent.includes(${JSON.stringify(evil)})`), 'the name as it is');
			assert.strictEqual(await page.run('document.querySelectorAll("section").length'), 5);
			assert(await page.run('document.querySelectorAll("svg rect").length') > 3, 'a heat map');
			assert.strictEqual(await page.run('document.querySelectorAll("svg polyline").length'), 3, 'series');
			assert.strictEqual(await page.run('document.querySelectorAll("details").length') > 0, true);
			if (!axe)
				continue;
			await page.run(axe + ';0');
			const found = await page.run('axe.run().then(r => r.violations.map(v => v.id + ": " + v.nodes.map(n => n.target).join(" ")))');
			assert.deepStrictEqual(found, [], JSON.stringify(how));
		}
		// keys: up to the parent, down to the child, zoom, all again, search
		const page = await browser.open('file://' + tmp + '/x.html', {});
		const status = () => page.run('document.querySelector("[role=status]").textContent');
		const folded = fs.readFileSync(tmp + '/x.folded', 'utf8').trim().split('\n').map(l => [l.slice(0, l.lastIndexOf(' ')), +l.slice(l.lastIndexOf(' '))]);
		const total = folded.reduce((s, l) => s + l[1], 0), n = v => v.toLocaleString('en');
		const below = name => folded.filter(l => l[0].split(';').includes(name)).reduce((s, l) => s + l[1], 0);
		assert((await status()).startsWith(`all: ${n(total)} (100.0% of all`), await status());
		await page.run('document.querySelector("[role=treeitem][tabindex=\'0\']").focus()');
		await page.key('ArrowUp');
		const child = await status();
		assert(/^[^:]*: [0-9,]* \([0-9.]*% of all/.test(child) && !child.startsWith('all'), child);
		await page.key('ArrowDown');
		assert((await status()).startsWith('all: '), await status());
		await page.key('ArrowUp');
		await page.key('Enter');
		assert.strictEqual(await status(), child);
		await page.key('Escape');
		assert((await status()).startsWith('all: '), await status());
		await page.key('/');
		assert.strictEqual(await page.run('document.activeElement.type'), 'search');
		for (const c of 'leaf')
			await page.key(c);
		assert((await status()).startsWith(`matched ${n(below('leaf'))} (`), await status());
		// a table sorts, and says how
		const sort = i => page.run(`(() => { const t = document.querySelectorAll("th button")[${i}]; t.click(); return t.parentElement.getAttribute("aria-sort") })()`);
		assert.deepStrictEqual([await sort(0), await sort(0)], ['ascending', 'descending']);
		// without scripts
		const plain = await browser.open('file://' + tmp + '/x.html', {scripts: false});
		const text = (await plain.run('document.getElementById("static").innerText')) || '';
		assert(text.includes(evil) && !await plain.run('document.getElementById("static").hidden'), text.slice(0, 200));
		// many stacks; a frame that is not drawn is found
		const big = await browser.open('file://' + tmp + '/big.html', {});
		const drawn = page => page.run('performance.getEntriesByName("drawn")[0].duration');
		console.log(`10,000 stacks: drawn after ${await drawn(big)} ms, loaded after ${big.load_ms} ms`);
		const items = 'document.querySelectorAll("[role=treeitem]")', frame = 'new Promise(r => requestAnimationFrame(r))';
		// narrow frames come little by little; a zoom draws at once what has room for a name
		const more = async n => {
			while (await big.run(items + '.length') <= n)
				await big.run(frame);
		};
		await more(500);
		// a frame, however narrow, covers nothing of those beside it
		assert.strictEqual(await big.run(`(() => { const rows = new Map; for (const i of ${items}) { const b = i.getBoundingClientRect();
			rows.set(b.top, [...rows.get(b.top) || [], [b.left, b.right]]); } return [...rows.values()].map(r => r.sort((a, b) => a[0] - b[0])
			.filter((b, i) => i && b[0] < r[i - 1][1] - 0.1).length).reduce((a, b) => a + b) })()`), 0, 'frames over others');
		const zoom = await big.run(`(() => { const t = performance.now(); ${items}[1].click(); return [${items}.length, performance.now() - t] })()`);
		console.log(`a zoom: ${zoom[0]} frames after ${zoom[1]} ms`);
		assert(zoom[0] < 300, 'frames of a zoom: ' + zoom[0]);
		await more(1000);
		assert.strictEqual(await big.run(`[...${items}].filter(i => i.tabIndex == 0).length`), 1);
		await big.key('Escape');
		await more(500);
		assert(!await big.run('[...document.querySelectorAll("[role=treeitem]")].some(t => t.textContent == "rare")'));
		await big.run('(() => { const s = document.querySelector("[type=search]"); s.value = "^rare$"; s.dispatchEvent(new Event("input")) })()');
		const found = await big.run('document.querySelector("[role=status]").textContent');
		assert(found.startsWith('matched 1 ('), found);
		// many rows: the largest are shown, the others when they are asked for
		const rows = await browser.open('file://' + tmp + '/rows.html', {});
		console.log(`150,000 rows: drawn after ${await drawn(rows)} ms`);
		assert.deepStrictEqual([rows.messages, await rows.run('[...document.querySelectorAll("section")].map(s => s.querySelectorAll("tbody tr").length)'),
			await rows.run('document.querySelector("section td:nth-child(2)").textContent')], [[], [50, 60], '149,999']);
		await rows.run('document.querySelector("th button").click()'); // numbers in their order
		assert.strictEqual(await rows.run('[...document.querySelectorAll("section:first-of-type tbody tr")].slice(0, 3).map(r => r.cells[0].textContent).join()'), '0,1,2');
		assert.strictEqual(await rows.run('document.querySelector("section details summary").textContent'), '10 more histograms');
		await rows.run(`(() => { document.querySelector("section details").open = true; return ${frame}.then(() => ${frame}) })()`);
		assert.strictEqual(await rows.run('document.querySelectorAll("section details tbody tr").length'), 30);
	} finally {
		await browser.end();
	}
})().catch(e => { console.log(e.stack); process.exit(1); });
END
HOME=$TMP timeout 150 node "$TMP/test.js" "$PWD/tests/tools" "$browser" "$TMP" "$evil" >"$TMP/said" 2>&1 || fail "$(cat "$TMP/said")"
cat "$TMP/said"
finish
