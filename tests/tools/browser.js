// A headless Chromium that is spoken to by a pipe (Chrome DevTools Protocol, --remote-debugging-pipe): no packages are needed.
//
//	const browser = await require('./browser.js').start(COMMAND, FOLDER);
//	const page = await browser.open(URL, {width, height, dark, scripts: false});
//	await page.run('document.title'); await page.key('Enter'); page.requests, page.messages, page.dialogs, page.load_ms
//	await browser.end();
'use strict';
const {spawn} = require('child_process');

exports.start = async (command, folder) => {
	const child = spawn(command, ['--headless', '--no-sandbox', '--disable-gpu', '--remote-debugging-pipe', '--user-data-dir=' + folder,
		'--disable-background-networking', '--no-first-run', '--hide-scrollbars', 'about:blank'], {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
	const waiting = new Map, listeners = [];
	let number = 0, rest = '';
	child.stdio[4].setEncoding('utf8');
	child.stdio[4].on('data', text => {
		const parts = (rest + text).split('\0');
		rest = parts.pop();
		for (const part of parts) {
			const m = JSON.parse(part), w = waiting.get(m.id);
			waiting.delete(m.id);
			if (w)
				m.error ? w.no(new Error(w.method + ': ' + m.error.message)) : w.yes(m.result);
			else
				listeners.forEach(l => l(m));
		}
	});
	child.on('exit', () => waiting.forEach(w => w.no(new Error('the browser has ended'))));
	const send = (method, params, sessionId) => new Promise((yes, no) => {
		waiting.set(++number, {yes, no, method});
		child.stdio[3].write(JSON.stringify({id: number, method, params: params || {}, sessionId}) + '\0');
	});
	const open = async (url, how) => {
		const {targetId} = await send('Target.createTarget', {url: 'about:blank'});
		const {sessionId} = await send('Target.attachToTarget', {targetId, flatten: true});
		const page = {requests: [], messages: [], dialogs: 0};
		const tell = (method, params) => send(method, params, sessionId);
		let loaded;
		const load = new Promise(yes => loaded = yes);
		listeners.push(m => {
			if (m.sessionId != sessionId)
				return;
			if (m.method == 'Network.requestWillBeSent')
				page.requests.push(m.params.request.url);
			if (m.method == 'Runtime.consoleAPICalled' || m.method == 'Runtime.exceptionThrown' || m.method == 'Log.entryAdded')
				page.messages.push(JSON.stringify(m.params));
			if (m.method == 'Page.javascriptDialogOpening') {
				page.dialogs++;
				tell('Page.handleJavaScriptDialog', {accept: true});
			}
			if (m.method == 'Page.loadEventFired')
				loaded();
		});
		for (const domain of ['Page', 'Network', 'Runtime', 'Log'])
			await tell(domain + '.enable');
		await tell('Emulation.setDeviceMetricsOverride', {width: how.width || 1280, height: how.height || 900, deviceScaleFactor: 1, mobile: false});
		await tell('Emulation.setEmulatedMedia', {features: [{name: 'prefers-color-scheme', value: how.dark ? 'dark' : 'light'}]});
		await tell('Emulation.setScriptExecutionDisabled', {value: how.scripts === false});
		const start = Date.now();
		await tell('Page.navigate', {url});
		await load;
		page.load_ms = Date.now() - start;
		page.run = async expression => {
			const r = await tell('Runtime.evaluate', {expression, awaitPromise: true, returnByValue: true});
			if (r.exceptionDetails)
				throw new Error(expression.slice(0, 100) + ': ' + JSON.stringify(r.exceptionDetails));
			return r.result.value;
		};
		page.key = async key => {
			const text = key.length == 1 ? key : key == 'Enter' ? '\r' : undefined;
			await tell('Input.dispatchKeyEvent', {type: 'keyDown', key, text, code: key});
			await tell('Input.dispatchKeyEvent', {type: 'keyUp', key, code: key});
			await page.run('new Promise(r => requestAnimationFrame(r))').catch(() => 0);
		};
		return page;
	};
	const gone = new Promise(yes => child.on('exit', yes));
	return {
		open,
		end: async () => { // nothing is written any more when it returns
			await send('Browser.close').catch(() => 0);
			await gone;
		},
	};
};
