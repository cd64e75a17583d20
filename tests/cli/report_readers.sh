# Reports by readers that others have written (npm install speedscope ajv csv-parse papaparse; NODE_PATH): speedscope opens stacks, profiles
# and traces, with the totals of the folded form; its schema accepts what is made for it; readers of CSV see the same cells.
# needs: user
# timeout: 180
. tests/lib/lib.sh

need node python3
browser=$(command -v chromium-headless-shell || command -v chromium) || skip "no chromium"
node -e 'for (const m of ["speedscope/package.json", "ajv", "csv-parse/sync", "papaparse"]) require.resolve(m)' 2>/dev/null ||
	skip "no packages of npm: speedscope, ajv, csv-parse, papaparse (NODE_PATH)"
d -x report="$TMP/x.pb.gz" -x report="$TMP/x.folded" -x report="$TMP/x.speedscope.json" -qn \
	'fpid$target:a.out::entry { @calls[ustack(10)] = count(); }' -c "$TARGETS/t 100 2 quiet"
ends 0 "profiles"
d -x report="$TMP/x.trace.json" -x report="$TMP/t.speedscope.json" -x aggunit=bytes:bytes -qn \
	'pid$target:a.out:leaf:entry, pid$target:a.out:leaf:return, pid$target:a.out:work:entry, pid$target:a.out:work:return { }
	pid$target:a.out:leaf:entry { @bytes[ustack(3)] = sum(7); }' -c "$TARGETS/t 100 2 quiet"
ends 0 "a trace"
d -x report="$TMP/x.csv" -x report="$TMP/x.tsv" -qn 'BEGIN { @low["a,b", 1] = min(-9223372036854775807 - 1); @text["x\"y\r\nz", -1] = count(); @text["\303\251=1", 2] = count();
	@other[";\t\\"] = quantize(5); exit(0); }'
ends 0 "tables"

cat >"$TMP/test.js" <<'END'
'use strict';
const [tools, command, tmp] = process.argv.slice(2), assert = require('assert'), fs = require('fs'), path = require('path');
const folded = fs.readFileSync(tmp + '/x.folded', 'utf8').trim().split('\n').map(l => [l.slice(0, l.lastIndexOf(' ')).split(';'), +l.slice(l.lastIndexOf(' '))]);
const below = name => folded.filter(l => l[0].includes(name)).reduce((s, l) => s + l[1], 0);
// tables: the same cells by all
const rows = require('csv-parse/sync').parse(fs.readFileSync(tmp + '/x.csv'));
assert.deepStrictEqual([new Set(rows.map(r => r.length)).size, rows.length], [1, 5]);
const papa = require('papaparse').parse(fs.readFileSync(tmp + '/x.csv', 'utf8'), {skipEmptyLines: true});
assert.deepStrictEqual([papa.errors, papa.data], [[], rows]);
const cells = rows.flat();
for (const cell of ['a,b', 'x"y\r\nz', '\u00e9=1', ';\t\\', '-9223372036854775808'])
	assert(cells.includes(cell), cell + ' in ' + JSON.stringify(rows));
assert.deepStrictEqual(fs.readFileSync(tmp + '/x.tsv', 'utf8').split('\n').slice(0, -1).map(l => l.split('\t').length), rows.map(r => r.length));
// the schema
const home = path.join(path.dirname(require.resolve('speedscope/package.json')), 'dist/release'), Ajv = require('ajv');
const check = new Ajv({strict: false}).compile(JSON.parse(fs.readFileSync(home + '/file-format-schema.json')));
for (const [file, unit] of [['x', 'none'], ['t', 'bytes']]) {
	const made = JSON.parse(fs.readFileSync(`${tmp}/${file}.speedscope.json`));
	assert(check(made), file + ': ' + JSON.stringify(check.errors));
	assert.strictEqual(made.profiles[0].unit, unit);
}
(async () => {
	const browser = await require(tools + '/browser.js').start(command, tmp + '/profile');
	try {
		for (const file of ['x.folded', 'x.speedscope.json', 'x.pb.gz', 'x.trace.json']) {
			fs.writeFileSync(tmp + '/load.js', `speedscope.loadFileFromBase64("${file}", "${fs.readFileSync(tmp + '/' + file).toString('base64')}")`);
			const page = await browser.open(`file://${home}/index.html#localProfilePath=${tmp}/load.js`, {});
			while (!/ - speedscope$/.test(await page.run('document.title')))
				await new Promise(r => setTimeout(r, 20));
			await page.key('3'); // all functions: total, self, name
			const text = await page.run('document.body.innerText');
			assert(!page.messages.some(m => /"error"|exceptionDetails/.test(m)), file + ': ' + page.messages);
			if (file == 'x.trace.json') { // a thread, in its own time
				assert(/\bt\b.*tid/.test(text) && /\n\tleaf\n/.test(text), file + ': ' + text);
				continue;
			}
			const shown = new Map(text.split('\n').map((l, i, all) => [(all[i + 2] || '').trim(), +l.split(' ')[0].replace(/,/g, '')]));
			for (const name of ['leaf', 'hidden', 'work', 'six'])
				assert.strictEqual(shown.get(name), below(name), `${file}: ${name} in ${text}`);
		}
	} finally {
		await browser.end();
	}
})().catch(e => { console.log(e.stack); process.exit(1); });
END
HOME=$TMP timeout 150 node "$TMP/test.js" "$PWD/tests/tools" "$browser" "$TMP" >"$TMP/said" 2>&1 || fail "$(cat "$TMP/said")"
finish
