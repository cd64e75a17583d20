'use strict';
(() => {
	const D = JSON.parse(document.getElementById('data').textContent), main = document.querySelector('main');
	const el = (t, a, ...c) => {
		const e = document.createElement(t);
		for (const k in a || {})
			k in e && k != 'role' && k != 'list' ? e[k] = a[k]
			                                     : e.setAttribute(k, a[k]);
		e.append(...c);
		return e
	};
	const SV = 'http://www.w3.org/2000/svg', sv = (t, a, ...c) => {
		const e = document.createElementNS(SV, t);
		for (const k in a || {})
			e.setAttribute(k, a[k]);
		e.append(...c);
		return e
	};
	const number = new Intl.NumberFormat('en'), largest = (rows, value) => rows.reduce((m, r) => Math.max(m, value(r)), 0);
	const fmt = (v, u) => {
		if (u == 'ns') {
			const s = [ [ 1e9, 's' ], [ 1e6, 'ms' ], [ 1e3, 'us' ] ].find(
			    x => Math.abs(v) >= x[0]);
			return s ? (v / s[0]).toPrecision(4) + ' ' + s[1] : v + ' ns'
		}
		if (u == 'bytes') {
			const s =
			    [ [ 2 ** 30, 'GiB' ], [ 2 ** 20, 'MiB' ], [ 2 ** 10, 'KiB' ] ].find(
			        x => Math.abs(v) >= x[0]);
			return s ? (v / s[0]).toPrecision(4) + ' ' + s[1] : v + ' B'
		}
		return number.format(v)
	};
	const pct = (a, b) => b ? (100 * a / b).toFixed(a / b < .1 ? 2 : 1) + '%' : '0%';
	let n = 0, rg = 0;
	const theme = document.getElementById('theme');
	theme.hidden = false;
	theme.onclick = () => {
		const r = document.documentElement,
		      dark = (r.dataset.theme || (matchMedia('(prefers-color-scheme:dark)').matches
		                                      ? 'dark'
		                                      : 'light')) == 'dark';
		r.dataset.theme = dark ? 'light' : 'dark'
	};
	/*
	 * Stacks as a tree in arrays, callers before what they call: a node's children begin behind it, the next one at
	 * end[child], in order of their names; all below t are those before end[t].
	 */
	function tree(a) {
		const rank = new Int32Array(a.frames.length), rows = a.rows, same = new Int32Array(rows.length);
		const less = (x, y) => x < y ? -1 : x > y ? 1 : 0;
		a.frames.map((f, i) => i).sort((i, j) => less(a.frames[i][0], a.frames[j][0]) || less(a.frames[i][1], a.frames[j][1]))
			.forEach((i, at) => rank[i] = at);
		rows.sort((p, r) => {
			let i = p.s.length, j = r.s.length, d = 0;
			while (i && j && !(d = rank[p.s[--i]] - rank[r.s[--j]]))
				;
			return d || p.s.length - r.s.length
		});
		let n = 1;
		rows.forEach((r, at) => {
			const before = at ? rows[at - 1].s : [];
			let i = r.s.length, j = before.length;
			while (i && j && r.s[i - 1] == before[j - 1])
				i--, j--;
			same[at] = r.s.length - i;
			n += i
		});
		const ints = () => new Int32Array(n), values = () => new Float64Array(n);
		const f = ints(), up = ints(), end = ints(), d = ints(), v = values(), w = values(), self = values(), x = values();
		const path = [ 0 ], filled = values();
		f[0] = up[0] = -1;
		n = 1;
		rows.forEach(({s, v : value, w : before}, at) => {
			while (path.length > same[at] + 1)
				end[path.pop()] = n;
			let last = path[path.length - 1];
			for (let i = s.length - same[at]; i-- > 0; last = n++) {
				f[n] = s[i];
				up[n] = last;
				d[n] = path.length;
				path.push(n)
			}
			v[last] += +value; // what no number holds exactly is text
			w[last] += +(before || 0)
		});
		for (const t of path)
			end[t] = n;
		self.set(v);
		for (let t = n; t-- > 1;) {
			v[up[t]] += v[t];
			w[up[t]] += w[t]
		}
		for (let t = 1; t < n; t++) { // filled: where the next child begins
			x[t] = filled[t] = filled[up[t]];
			filled[up[t]] += v[t]
		}
		return {n, f, up, end, d, v, w, self, x}
	}
	const hues = new Map, hue = s => {
		let h = hues.get(s);
		if (h === undefined) {
			h = 0;
			for (const c of s)
				h = (h * 31 + c.codePointAt(0)) >>> 0;
			hues.set(s, h %= 360)
		}
		return h
	};
	function flame(sec, a) {
		const T = tree(a), tot = T.v[0], totw = T.w[0], diff = a.base, H = 20, drawn = new Map;
		let zoom = 0, inv = false, colour = diff ? 'diff' : 'mod', hits = null, cur = 0, width = 0, waiting;
		const name = t => t ? a.frames[T.f[t]][0] : 'all', mod = t => t ? a.frames[T.f[t]][1] : '';
		const st = el('p', {className : 'status dim', role : 'status'}),
		      box = el('div', {className : 'flame', role : 'tree', 'aria-label' : 'Flame graph of @' + a.name, tabIndex : -1});
		const delta = t => (tot ? T.v[t] / tot : 0) - (totw ? T.w[t] / totw : 0);
		const text = t => `${mod(t) ? mod(t) + '\u0060' : ''}${name(t)}: ${fmt(T.v[t], a.unit)} (${pct(T.v[t], tot)} of all, self ${
			fmt(T.self[t], a.unit)})` +
			(diff ? `, was ${pct(T.w[t], totw)}: ${delta(t) >= 0 ? '+' : ''}${(100 * delta(t)).toFixed(2)} points` : '');
		const bg = t => {
			if (colour == 'diff') {
				const d = Math.max(-1, Math.min(1, 8 * delta(t)));
				return d >= 0 ? `hsl(20 85% ${93 - 38 * d}%)` : `hsl(215 85% ${93 + 38 * d}%)`
			}
			if (!t)
				return 'hsl(0 0% 80%)';
			return `hsl(${hue(colour == 'mod' ? mod(t) : name(t))} 60% 78%)`
		};
		const put = (t, x, w, isAbove) => {
			const i = document.createElement('div'), isHit = t && hits && hits[T.f[t]];
			i.setAttribute('role', 'treeitem');
			i.setAttribute('aria-level', T.d[t] + 1);
			i.setAttribute('aria-label', text(t));
			i.tabIndex = -1;
			if (w * width > 22) // room for a letter or two
				i.textContent = name(t);
			i.className = (isAbove ? 'fade ' : '') + (isHit ? 'hit' : '');
			i.style.cssText = `left:${x * 100}%;width:${w * 100}%;${inv ? 'top' : 'bottom'}:${T.d[t] * H}px` +
				(w * width < 3 ? ';border-right:0' : '') + (isHit ? '' : ';background:' + bg(t));
			i.t = t;
			drawn.set(t, i);
			return i
		};
		const share = t => T.v[zoom] ? T.v[t] / T.v[zoom] : 0;
		const put_below = t => put(t, (T.x[t] - T.x[zoom]) / (T.v[zoom] || 1), share(t));
		// Many narrow ones follow when those that have names are seen, some in each picture.
		function put_narrow(narrow) {
			const some = document.createDocumentFragment();
			if (narrow != waiting)
				return;
			for (const t of narrow.splice(0, 500))
				if (!drawn.has(t))
					some.append(put_below(t));
			box.append(some);
			if (narrow.length)
				requestAnimationFrame(() => put_narrow(narrow))
		}
		// What is narrower than a pixel is left out, with all below it.
		function draw(focus) {
			const items = document.createDocumentFragment(), narrow = waiting = [];
			let depth = T.d[zoom];
			width = box.clientWidth || 800;
			drawn.clear();
			for (let t = T.up[zoom]; t >= 0; t = T.up[t])
				items.append(put(t, 0, 1, true));
			items.append(put(zoom, 0, 1));
			for (let t = zoom + 1; t < T.end[zoom];) {
				const pixels = share(t) * width;
				if (pixels < 1) {
					t = T.end[t];
					continue
				}
				if (pixels > 22 || t == focus)
					items.append(put_below(t));
				else
					narrow.push(t);
				depth = Math.max(depth, T.d[t++])
			}
			box.replaceChildren(items);
			box.style.height = (depth + 1) * H + 2 + 'px';
			cur = drawn.has(focus) ? focus : zoom;
			drawn.get(cur).tabIndex = 0;
			if (focus !== undefined)
				drawn.get(cur).focus();
			if (narrow.length)
				requestAnimationFrame(() => put_narrow(narrow))
		}
		const go = t => {
			if (!drawn.has(t))
				return;
			drawn.get(cur).tabIndex = -1;
			cur = t;
			drawn.get(t).tabIndex = 0;
			drawn.get(t).focus();
			st.textContent = text(t)
		};
		const children = t => {
			const found = [];
			if (t >= 0)
				for (let k = t + 1; k < T.end[t]; k = T.end[k])
					if (drawn.has(k))
						found.push(k);
			return found
		};
		const sib = (t, s) => {
			const l = children(T.up[t]);
			return l[l.indexOf(t) + s]
		};
		const big = t => children(t).sort((p, r) => T.v[r] - T.v[p])[0];
		const setz = t => {
			zoom = t;
			draw(t);
			to_root();
			st.textContent = text(t)
		};
		box.onclick = e => {
			const i = e.target.closest('[role=treeitem]');
			if (i)
				setz(i.t)
		};
		box.onmouseover = e => {
			const i = e.target.closest('[role=treeitem]');
			if (i)
				st.textContent = text(i.t)
		};
		box.onkeydown = e => {
			const k = e.key, up = inv ? 'ArrowUp' : 'ArrowDown', dn = inv ? 'ArrowDown' : 'ArrowUp';
			const m = {
				ArrowLeft : () => go(sib(cur, -1)),
				ArrowRight : () => go(sib(cur, 1)),
				[up] : () => go(T.up[cur]),
				[dn] : () => go(big(cur)),
				Enter : () => setz(cur),
				' ' : () => setz(cur),
				Escape : () => setz(0),
				Backspace : () => setz(Math.max(0, T.up[zoom])),
				Home : () => go(zoom),
				'/' : () => s.focus()
			}[k];
			if (m) {
				e.preventDefault();
				m()
			}
		};
		const s = el('input', {type : 'search', placeholder : 'search (regular expression)', 'aria-label' : 'Search functions'});
		s.oninput = () => {
			let q = null, sum = 0;
			try {
				q = s.value ? new RegExp(s.value, 'i') : null;
				s.setAttribute('aria-invalid', 'false')
			} catch (e) {
				s.setAttribute('aria-invalid', 'true')
			}
			hits = q && a.frames.map(f => q.test(f[0]) || q.test(f[1]));
			for (let t = 1; hits && t < T.n;) { // what is below one that matches is within it
				if (hits[T.f[t]]) {
					sum += T.v[t];
					t = T.end[t]
				} else
					t++
			}
			draw();
			st.textContent = q ? `matched ${fmt(sum, a.unit)} (${pct(sum, tot)})` : ''
		};
		const c = el('select', {
			'aria-label' : 'Colour by',
			onchange : () => {
				colour = c.value;
				draw()
			}
		}, ...[[ 'mod', 'colour: module' ], [ 'name', 'colour: function' ], ...(diff ? [ [ 'diff', 'colour: difference' ] ] : [])]
			.map(x => el('option', {value : x[0], selected : x[0] == colour}, x[1])));
		const iv = el('button', {
			type : 'button',
			'aria-pressed' : 'false',
			onclick : () => {
				inv = !inv;
				iv.setAttribute('aria-pressed', inv);
				draw();
				to_root()
			}
		}, 'icicle');
		const rs = el('button', {type : 'button', onclick : () => setz(0)}, 'reset zoom');
		const tall = el('div', {className : 'tall'}, box), to_root = () => tall.scrollTop = inv ? 0 : tall.scrollHeight;
		sec.append(el('div', {className : 'bar'}, s, c, iv, rs), tall, st);
		if (a.left)
			sec.append(el('p', {className : 'dim'}, `${number.format(a.left)} stacks are left out: their values are not above 0`));
		draw();
		to_root();
		st.textContent = text(0);
		new ResizeObserver(() => box.clientWidth != width && draw()).observe(sec);
		functions(sec, a, T)
	}
	// What each function took itself, and with what it called; a recursive one counts once.
	function functions(sec, a, T) {
		const by = a.frames.map(() => ({self : 0, total : 0, was : 0, open : 0})), path = [];
		for (let t = 1; t < T.n; t++) {
			while (path.length && T.end[path[path.length - 1]] <= t)
				by[T.f[path.pop()]].open--;
			const e = by[T.f[t]];
			e.self += T.self[t];
			if (!e.open++) {
				e.total += T.v[t];
				e.was += T.w[t]
			}
			path.push(t)
		}
		const points = e => {
			const n = T.v[0] && T.w[0] ? 100 * (e.total / T.v[0] - e.was / T.w[0]) : 0;
			return {n, t : e.total ? (n > 0 ? '+' : '') + n.toFixed(2) : 'gone ' + n.toFixed(2)}
		};
		table(sec, [ 'function', 'module', ...(a.base ? [ 'points' ] : []), 'self', 'total' ],
		      by.map((e, f) => [{n : a.frames[f][0], name : a.frames[f][0]}, a.frames[f][1], ...(a.base ? [ points(e) ] : []), e.self, e.total]), a.unit, a.base ? 3 : 2, 50)
	}
	function table(sec, head, rows, unit, key, limit) {
		let dir = -1, lim = limit || 50;
		const body = el('tbody'), max = largest(rows, r => Math.abs(r[r.length - 1])) || 1;
		const isn = head.map((h, i) => rows.some(r => typeof r[i] == 'number' || r[i].t)), hasBars = isn[head.length - 1];
		const ths = head.map((h, i) => {
			const b = el('button', {type : 'button'}, h), th = el('th', {className : isn[i] ? 'n' : '', scope : 'col'}, b);
			b.onclick = () => {
				dir = key == i ? -dir : isn[i] ? -1 : 1;
				key = i;
				fill()
			};
			return th
		});
		const more = el('button', {
			type : 'button',
			onclick : () => {
				lim = Infinity;
				fill()
			}
		}, 'show all ' + rows.length);
		const row = r => el('tr', {},
		                    ...r.map((v, i) => el('td', {className : isn[i] ? 'n' : 'mono'},
		                                          v.t || (v.name ? el('span', {className : 'name', title : v.name}, v.name)
		                                                         : typeof v == 'number' ? fmt(v, unit) : v))),
		                    ...(hasBars ? [ bar(Math.abs(r[r.length - 1]) / max) ] : []));
		function fill() {
			const whole = rows.every(r => /^-?\d{1,15}$/.test(r[key])), num = v => v.n !== undefined ? v.n : whole ? +v : v;
			const order = (x, y, i) => num(x[i]) < num(y[i]) ? -1 : num(x[i]) > num(y[i]) ? 1 : 0;
			rows.sort((x, y) => dir * order(x, y, key) || -order(x, y, head.length - 1)); // of equal ones the largest first
			ths.forEach((t, i) => i == key ? t.setAttribute('aria-sort', dir < 0 ? 'descending' : 'ascending')
			                               : t.removeAttribute('aria-sort'));
			const shown = document.createDocumentFragment();
			rows.slice(0, lim).forEach(r => shown.append(row(r)));
			body.replaceChildren(shown);
			more.hidden = rows.length <= lim
		}
		fill();
		sec.append(wrap('table of ' + (sec.querySelector('h2') || sec).textContent.slice(0, 40),
		                el('table', {}, el('thead', {}, el('tr', {}, ...ths, ...(hasBars ? [ el('td', {}) ] : []))), body)),
		           more)
	}
	// What may be wider than the window.
	function wrap(name, what) {
		return el('div', {className : 'wrap', tabIndex : 0, role : 'region', 'aria-label' : name + ' ' + (++rg)}, what)
	}
	function bar(share) {
		const s = el('span');
		s.style.width = 100 * share + '%';
		return el('td', {className : 'b', 'aria-hidden' : 'true'}, s)
	}
	// The largest rows, the others when they are asked for.
	function hists(sec, a) {
		const count = r => r.b.reduce((s, x) => s + x[1], 0), rows = a.rows.map(r => [count(r), r]).sort((x, y) => y[0] - x[0]);
		const rest = rows.splice(20), d = el('details', {}, el('summary', {}, number.format(rest.length) + ' more histograms'));
		rows.forEach(r => hist(sec, a, r[1], r[0]));
		if (!rest.length)
			return;
		d.ontoggle = () => rest.splice(0).forEach(r => hist(d, a, r[1], r[0]));
		sec.append(d)
	}
	function hist(sec, a, r, tot) {
		const max = largest(r.b, x => x[1]) || 1;
		if (r.k.length)
			sec.append(el('h3', {}, r.k.join(', ')));
		sec.append(wrap('histogram', el('table', {},
			el('thead', {}, el('tr', {}, ...[ 'from', 'count', 'share' ].map(h => el('th', {className : 'n', scope : 'col'}, h)), el('td', {}))),
			el('tbody', {}, ...r.b.map(x => el('tr', {},
				el('td', {className : 'n'}, typeof x[0] == 'number' ? fmt(x[0], a.unit) : x[0]),
				el('td', {className : 'n'}, fmt(x[1])),
				el('td', {className : 'n'}, pct(x[1], tot)),
				bar(x[1] / max)))))))
	}
	function heat(sec, a) {
		const T = a.times, rows = [...new Set(T.flatMap(t => t.b.map(x => x[0])))].sort((x, y) => x - y),
		      place = new Map(rows.map((b, i) => [b, rows.length - 1 - i])), cw = Math.max(4, Math.min(24, 900 / T.length)), ch = 14, L = 80,
		      W = L + cw * T.length, H = ch * rows.length + 24, max = Math.max(1, largest(T, t => largest(t.b, x => x[1])));
		const s = sv('svg', {
			viewBox : `0 0 ${W} ${H}`,
			width : W,
			height : H,
			role : 'img',
			'aria-label' : `Heat map: ${rows.length} buckets, ${T.length} intervals; the table below has the numbers`,
			fill : 'currentColor',
			'font-size' : 10
		});
		for (const [b, y] of place)
			s.append(sv('text', {x : L - 4, y : ch * y + 11, 'text-anchor' : 'end'}, fmt(b, a.unit)));
		T.forEach((t, j) => t.b.forEach(([ b, c ]) => {
			if (c)
				s.append(sv('rect', {
					x : L + cw * j,
					y : ch * place.get(b),
					width : cw - .5,
					height : ch - .5,
					'class' : 'cell',
					'fill-opacity' : (.15 + .85 * Math.log1p(c) / Math.log1p(max)).toFixed(3)
				}, sv('title', {}, `${t.t.toFixed(1)} s, from ${fmt(b, a.unit)}: ${c}`)))
		}));
		s.append(sv('text', {x : L, y : H - 8}, T[0].t.toFixed(1) + ' s'),
		         sv('text', {x : W, y : H - 8, 'text-anchor' : 'end'},
		            T[T.length - 1].t.toFixed(1) + ' s'));
		sec.append(wrap('heat map', s),
		           el('p', {className : 'dim'},
		              `time from left to right, values upwards; pale: 1, full: ${fmt(max)} in a cell`));
		const d = el('details', {}, el('summary', {}, 'numbers'));
		sec.append(d);
		table(d, [ 'time', 'from', 'count' ],
		      T.flatMap(
		          t => t.b.filter(x => x[1]).map(x => [t.t.toFixed(1) + ' s', x[0], x[1]])),
		      a.unit, 2, 50)
	}
	function series(sec, a) {
		const W = 900, H = 160, L = 60, xs = a.series[0].p.map(p => p[0]),
		      max = largest(a.series, s => largest(s.p, p => p[1])) || 1,
		      x = t => L + (W - L - 4) * (t - xs[0]) / (xs[xs.length - 1] - xs[0] || 1),
		      y = v => H - 18 - (H - 28) * v / max;
		const s = sv('svg', {
			viewBox : `0 0 ${W} ${H}`,
			'class' : 'wide',
			role : 'img',
			'aria-label' : 'Time series; the table below has the numbers',
			fill : 'none',
			stroke : 'currentColor',
			'font-size' : 10
		});
		a.series.forEach((r, i) => s.append(sv('polyline', {
			points : r.p.map(p => x(p[0]) + ',' + y(p[1])).join(' '),
			style : `stroke:hsl(${i * 67 % 360} 70% var(--stroke))`,
			'stroke-width' : 2,
			'stroke-dasharray' : [ '', '6 3', '2 3' ][i % 3]
		},
			                               sv('title', {}, r.k.join(', ')))));
		const shown = v => fmt(v < 100 ? Math.round(v * 1000) / 1000 : Math.round(v), a.unit);
		for (const v of [0, max / 2, max])
			s.append(sv('text', {
				x : L - 4,
				y : y(v) + 4,
				'text-anchor' : 'end',
				fill : 'currentColor',
				stroke : 'none'
			},
			            shown(v)));
		s.append(sv('text', {x : L, y : H - 4, fill : 'currentColor', stroke : 'none'},
		            xs[0].toFixed(1) + ' s'),
		         sv('text', {
			         x : W - 4,
			         y : H - 4,
			         'text-anchor' : 'end',
			         fill : 'currentColor',
			         stroke : 'none'
		         },
		            xs[xs.length - 1].toFixed(1) + ' s'));
		const legend = el('ul', {className : 'legend'});
		a.series.forEach((r, i) => legend.append(el('li', {},
			sv('svg', {width : 28, height : 8, 'aria-hidden' : 'true'},
			   sv('line', {
				   x1 : 0,
				   x2 : 28,
				   y1 : 4,
				   y2 : 4,
				   style : `stroke:hsl(${i * 67 % 360} 70% var(--stroke))`,
				   'stroke-width' : 2,
				   'stroke-dasharray' : [ '', '6 3', '2 3' ][i % 3]
			   })),
			' ' + (r.k.join(', ') || a.fn))));
		const d = el('details', {}, el('summary', {}, 'numbers'));
		sec.append(el('p', {className : 'dim'}, 'a second, of the largest rows'), wrap('time series', s), legend, d);
		table(d, [ 'time', ...a.keys, 'a second' ],
		      a.series.flatMap(r => r.p.map(p => [p[0].toFixed(1) + ' s', ...r.k, p[1]])),
		      a.unit, a.keys.length + 1, 50)
	}
	// The last of them, in the order in which they fired.
	function records(rows, all) {
		const sec = el('section', {'aria-labelledby' : 'records'}, el('h2', {id : 'records'}, 'records'),
		               el('p', {className : 'dim'}, `the last ${number.format(rows.length)} that printed, of ${number.format(+all)}`));
		main.append(sec);
		table(sec, [ 'time', 'CPU', 'pid', 'tid', 'probe', 'text' ],
		      rows.map(([ t, ...r ], i) => [{n : i, t : t.toFixed(6) + ' s'}, ...r.slice(0, 3).map(n => ({n, t : '' + n})), ...r.slice(3)]),
		      '', 0, 50)
	}
	for (const a of D.aggs) {
		const sec = el('section', {'aria-labelledby' : 'h' + (++n)},
		               el('h2', {id : 'h' + n}, (a.title || '@' + a.name) + ' ',
		                  el('small', {className : 'dim'}, `${a.fn}()${a.keys.length ? ' by ' + a.keys.join(', ') : ''}`)));
		main.append(sec);
		({
			flame,
			hist : hists,
			table : (s, a) => {
				const more = [ 'n', 'mean' ].filter(m => a.rows.some(r => r[m] !== undefined));
				table(s, [...a.keys, ...more, a.fn ], a.rows.map(r => [...r.k, ...more.map(m => m == 'n' ? {n : +r.n, t : fmt(+r.n)} : +r[m]), +r.v]),
				      a.unit, a.keys.length + more.length)
			}
		})[a.kind](sec, a);
		if (a.times && a.times.some(t => t.b.length))
			heat(sec, a);
		if (a.series)
			series(sec, a)
	}
	if (D.records)
		records(D.records, D.run.records);
	document.getElementById('static').hidden = true;
	performance.measure('drawn');
})();
