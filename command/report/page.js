'use strict';
(() => {
	const D = JSON.parse(document.getElementById('data').textContent,
	                     (k, v) => (k == 'v' || k == 'w') && typeof v == 'string' ? Number(v) : v),
	      main = document.querySelector('main');
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
		return v.toLocaleString('en')
	};
	const pct = (a, b) => b ? (100 * a / b).toFixed(a / b < .1 ? 2 : 1) + '%' : '0%';
	let n = 0, rg = 0;
	const theme = document.getElementById('theme');
	theme.onclick = () => {
		const r = document.documentElement,
		      dark = (r.dataset.theme || (matchMedia('(prefers-color-scheme:dark)').matches
		                                      ? 'dark'
		                                      : 'light')) == 'dark';
		r.dataset.theme = dark ? 'light' : 'dark'
	};
	function tree(a) {
		const root = {f : -1, v : 0, w : 0, self : 0, kids : new Map, d : 0, up : null};
		for (const r of a.rows) {
			let t = root;
			t.v += r.v;
			t.w += r.w || 0;
			for (let i = r.s.length - 1; i >= 0; i--) {
				let k = t.kids.get(r.s[i]);
				if (!k)
					t.kids.set(r.s[i], k = {
						f : r.s[i],
						v : 0,
						w : 0,
						self : 0,
						kids : new Map,
						d : t.d + 1,
						up : t
					});
				k.v += r.v;
				k.w += r.w || 0;
				t = k
			}
			t.self += r.v
		}
		return root
	}
	const hue = s => {
		let h = 0;
		for (const c of s)
			h = (h * 31 + c.codePointAt(0)) >>> 0;
		return h % 360
	};
	function flame(sec, a) {
		const root = tree(a), tot = root.v, totw = root.w, diff = a.base;
		let zoom = root, inv = false, colour = diff ? 'diff' : 'mod', q = null, items = [],
		    cur = root;
		const name = t => t.f < 0 ? 'all' : a.frames[t.f][0],
		      mod = t => t.f < 0 ? '' : a.frames[t.f][1];
		const st = el('p', {className : 'status dim', role : 'status'}),
		      box = el('div', {
			      className : 'flame',
			      role : 'tree',
			      'aria-label' : 'Flame graph of @' + a.name,
			      tabIndex : -1
		      });
		const delta = t => (tot ? t.v / tot : 0) - (totw ? t.w / totw : 0);
		const text = t =>
		    `${mod(t) ? mod(t) + '\u0060' : ''}${name(t)}: ${fmt(t.v, a.unit)} (${
			pct(t.v, tot)} of all, self ${fmt(t.self, a.unit)})` +
		    (diff ? `, was ${pct(t.w, totw)}: ${delta(t) >= 0 ? '+' : ''}${
				(100 * delta(t)).toFixed(2)} points`
			  : '');
		const bg = t => {
			if (colour == 'diff') {
				const d = Math.max(-1, Math.min(1, 8 * delta(t)));
				return d >= 0 ? `hsl(20 85% ${93 - 38 * d}%)`
					      : `hsl(215 85% ${93 + 38 * d}%)`
			}
			return `hsl(${hue(colour == 'mod' ? mod(t) : name(t))} 60% 78%)`
		};
		function draw(focus) {
			box.textContent = '';
			items = [];
			const W = box.clientWidth || 800, min = 1 / W, H = 20;
			let depth = 0, chain = [];
			for (let t = zoom.up; t; t = t.up)
				chain.unshift(t);
			const put = (t, x, w, d, up) => {
				const i = el(
				    'div', {
					    role : 'treeitem',
					    tabIndex : -1,
					    'aria-level' : d + 1,
					    'aria-label' : text(t)
				    },
				    w * W > 22 ? (t.f < 0 && zoom != root ? 'all' : name(t)) : '');
				i.style.cssText =
				    `left:${x * 100}%;width:${w * 100}%;background:${bg(t)}`;
				i.dataset.d = d;
				if (up)
					i.classList.add('fade');
				if (q && t.f >= 0 && (q.test(name(t)) || q.test(mod(t)))) {
					i.classList.add('hit');
					i.style.background = ''
				}
				i.t = t;
				t.el = i;
				items.push(i);
				box.append(i);
				depth = Math.max(depth, d)
			};
			chain.forEach((t, d) => put(t, 0, 1, d, true));
			const walk = (t, x, w, d) => {
				put(t, x, w, d);
				let kx = x;
				for (const k of [...t.kids.values()].sort(
				         (p, r) => name(p) < name(r) ? -1 : 1)) {
					const kw = t.v ? w * k.v / t.v : 0;
					if (kw >= min)
						walk(k, kx, kw, d + 1);
					kx += kw
				}
			};
			for (const i of items)
				i.t.el = i;
			walk(zoom, 0, 1, chain.length);
			for (const i of items)
				i.style.top = (inv ? i.dataset.d : depth - i.dataset.d) * H + 'px';
			box.style.height = (depth + 1) * H + 'px';
			const f = (focus && focus.el && focus.el.isConnected ? focus : zoom).el;
			f.tabIndex = 0;
			cur = f.t;
			if (focus)
				f.focus()
		}
		const go = t => {
			if (!t || !t.el || !t.el.isConnected)
				return;
			cur.el && (cur.el.tabIndex = -1);
			cur = t;
			t.el.tabIndex = 0;
			t.el.focus();
			st.textContent = text(t)
		};
		const sib = (t, s) => {
			const l = t.up ? [...t.up.kids.values() ]
			                     .sort((p, r) => name(p) < name(r) ? -1 : 1)
			                     .filter(k => k.el && k.el.isConnected)
			               : [ t ];
			return l[l.indexOf(t) + s]
		};
		const big = t => [...t.kids.values()]
		                     .filter(k => k.el && k.el.isConnected)
		                     .sort((p, r) => r.v - p.v)[0];
		const setz = t => {
			zoom = t;
			draw(t);
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
			const k = e.key, up = inv ? 'ArrowUp' : 'ArrowDown',
			      dn = inv ? 'ArrowDown' : 'ArrowUp';
			const m = {
				ArrowLeft : () => go(sib(cur, -1)),
				ArrowRight : () => go(sib(cur, 1)),
				[up] : () => go(cur.up),
				[dn] : () => go(big(cur)),
				Enter : () => setz(cur),
				' ' : () => setz(cur),
				Escape : () => setz(root),
				Backspace : () => setz(zoom.up || root),
				Home : () => go(zoom),
				'/' : () => s.focus()
			}[k];
			if (m) {
				e.preventDefault();
				m()
			}
		};
		const s = el('input', {
			type : 'search',
			placeholder : 'search (regular expression)',
			'aria-label' : 'Search functions'
		});
		s.oninput = () => {
			try {
				q = s.value ? new RegExp(s.value, 'i') : null;
				s.setAttribute('aria-invalid', 'false')
			} catch (e) {
				q = null;
				s.setAttribute('aria-invalid', 'true')
			}
			let sum = 0;
			const w = t => {
				if (t.f >= 0 && q && (q.test(name(t)) || q.test(mod(t)))) {
					sum += t.v;
					return
				}
				for (const k of t.kids.values())
					w(k)
			};
			w(root);
			draw();
			st.textContent = q ? `matched ${fmt(sum, a.unit)} (${pct(sum, tot)})` : ''
		};
		const c = el(
		    'select', {
			    'aria-label' : 'Colour by',
			    onchange : () => {
			            colour = c.value;
			            draw()
			    }
		    },
		    ...[[ 'mod', 'colour: module' ], [ 'name', 'colour: function' ],
		        ...(diff ? [ [ 'diff', 'colour: difference' ] ] : [])]
		        .map(x => el('option', {value : x[0], selected : x[0] == colour}, x[1])));
		const iv = el('button', {
			type : 'button',
			'aria-pressed' : 'false',
			onclick : () => {
			        inv = !inv;
			        iv.setAttribute('aria-pressed', inv);
			        draw()
			}
		},
		              'icicle');
		const rs =
		    el('button', {type : 'button', onclick : () => setz(root)}, 'reset zoom');
		sec.append(el('div', {className : 'bar'}, s, c, iv, rs), box, st);
		draw();
		st.textContent = text(root);
		new ResizeObserver(() => draw()).observe(sec);
		const by = new Map;
		(function w(t) {
			let e;
			if (t.f >= 0) {
				e = by.get(t.f);
				if (!e)
					by.set(t.f, e = {self : 0, total : 0, was : 0, open : 0});
				e.self += t.self;
				if (!e.open++) {
					e.total += t.v;
					e.was += t.w
				}
			}
			for (const c of t.kids.values())
				w(c);
			if (e)
				e.open--
		})(root);
		const points = e => {
			const n = tot && totw ? 100 * (e.total / tot - e.was / totw) : 0;
			return {n, t : e.total ? (n > 0 ? '+' : '') + n.toFixed(2) : 'gone ' + n.toFixed(2)}
		};
		table(sec, [ 'function', 'module', ...(diff ? [ 'points' ] : []), 'self', 'total' ],
		      [...by ].map(([ f, e ]) => [a.frames[f][0], a.frames[f][1], ...(diff ? [ points(e) ] : []),
		                                  e.self, e.total]),
		      a.unit, diff ? 3 : 2, 50)
	}
	function table(sec, head, rows, unit, key, limit) {
		let dir = -1;
		const body = el('tbody'),
		      max = Math.max(1, ...rows.map(r => Math.abs(r[r.length - 1])));
		const isn = i => rows.some(r => typeof r[i] == 'number' || r[i].t), num = v => v.t ? v.n : v;
		let lim = limit || 50;
		const ths = head.map((h, i) => {
			const b = el('button', {type : 'button'}, h),
			      th = el('th', {className : isn(i) ? 'n' : '', scope : 'col'}, b);
			b.onclick = () => {
				dir = key == i ? -dir : isn(i) ? -1 : 1;
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
		},
		                'show all ' + rows.length);
		function fill() {
			rows.sort((x, y) => dir * (num(x[key]) < num(y[key]) ? -1 : num(x[key]) > num(y[key]) ? 1 : 0));
			ths.forEach(
			    (t, i) => i == key ? t.setAttribute('aria-sort', dir < 0 ? 'descending'
			                                                             : 'ascending')
			                       : t.removeAttribute('aria-sort'));
			body.replaceChildren(...rows.slice(0, lim).map(
			    r => el('tr', {},
			            ...r.map((v, i) => el('td', {className : isn(i) ? 'n' : 'mono'},
			                                  v.t || (typeof v == 'number' ? fmt(v, unit) : v))),
			            el('td', {className : 'b', 'aria-hidden' : 'true'}, (() => {
				               const s = el('span');
				               s.style.width =
				                   100 * Math.abs(r[r.length - 1]) / max + '%';
				               return s
			               })()))));
			more.hidden = rows.length <= lim
		}
		fill();
		sec.append(
		    el('div', {
			    className : 'wrap',
			    tabIndex : 0,
			    role : 'region',
			    'aria-label' :
			        'table of ' +
			            (sec.querySelector('h2') || sec).textContent.slice(0, 40) +
			            ' ' + (++rg)
		    },
		       el('table', {}, el('thead', {}, el('tr', {}, ...ths, el('td', {}))), body)),
		    more)
	}
	function hist(sec, a, r) {
		const max = Math.max(1, ...r.b.map(x => x[1])),
		      tot = r.b.reduce((s, x) => s + x[1], 0);
		if (r.k.length)
			sec.append(el('h3', {}, r.k.join(', ')));
		sec.append(el(
		    'div', {
			    className : 'wrap',
			    tabIndex : 0,
			    role : 'region',
			    'aria-label' : 'histogram ' + (++rg)
		    },
		    el('table', {},
		       el('thead', {},
		          el('tr', {}, el('th', {className : 'n', scope : 'col'}, 'from'),
		             el('th', {className : 'n', scope : 'col'}, 'count'),
		             el('th', {className : 'n', scope : 'col'}, 'share'), el('td', {}))),
		       el('tbody', {},
		          ...r.b.map(
		              x => el('tr', {},
		                      el('td', {className : 'n'},
		                         typeof x[0] == 'number' ? fmt(x[0], a.unit) : x[0]),
		                      el('td', {className : 'n'}, fmt(x[1])),
		                      el('td', {className : 'n'}, pct(x[1], tot)),
		                      el('td', {className : 'b', 'aria-hidden' : 'true'}, (() => {
			                         const s = el('span');
			                         s.style.width = 100 * x[1] / max + '%';
			                         return s
		                         })())))))))
	}
	function heat(sec, a) {
		const T = a.times,
		      rows =
		          [...new Set(T.flatMap(t => t.b.map(x => x[0]))) ].sort((x, y) => x - y),
		      cw = Math.max(4, Math.min(24, 900 / T.length)), ch = 14, L = 80,
		      W = L + cw * T.length, H = ch * rows.length + 24;
		const max = Math.max(1, ...T.flatMap(t => t.b.map(x => x[1])));
		const s = sv('svg', {
			viewBox : `0 0 ${W} ${H}`,
			width : W,
			height : H,
			role : 'img',
			'aria-label' : `Heat map: ${rows.length} buckets, ${
			    T.length} intervals; the table below has the numbers`,
			fill : 'currentColor',
			'font-size' : 10
		});
		rows.forEach((b, i) => {
			const y = ch * (rows.length - 1 - i);
			s.append(sv('text', {x : L - 4, y : y + 11, 'text-anchor' : 'end'},
			            fmt(b, a.unit)))
		});
		T.forEach((t, j) => t.b.forEach(([ b, c ]) => {
			if (c)
				s.append(
				    sv('rect', {
					    x : L + cw * j,
					    y : ch * (rows.length - 1 - rows.indexOf(b)),
					    width : cw - .5,
					    height : ch - .5,
					    fill : `hsl(215 80% ${
						88 - 60 * Math.log1p(c) / Math.log1p(max)}%)`
				    },
				       sv('title', {},
					  `${t.t.toFixed(1)} s, from ${fmt(b, a.unit)}: ${c}`)))
		}));
		s.append(sv('text', {x : L, y : H - 8}, T[0].t.toFixed(1) + ' s'),
		         sv('text', {x : W, y : H - 8, 'text-anchor' : 'end'},
		            T[T.length - 1].t.toFixed(1) + ' s'));
		sec.append(el('div', {
			className : 'wrap',
			tabIndex : 0,
			role : 'region',
			'aria-label' : 'heat map ' + (++rg)
		},
		              s),
		           el('p', {className : 'dim'},
		              `time from left to right, values upwards; light: 1, dark: ${fmt(max)} in a cell`));
		const d = el('details', {}, el('summary', {}, 'numbers'));
		sec.append(d);
		table(d, [ 'time', 'from', 'count' ],
		      T.flatMap(
		          t => t.b.filter(x => x[1]).map(x => [t.t.toFixed(1) + ' s', x[0], x[1]])),
		      a.unit, 2, 50)
	}
	function series(sec, a) {
		const W = 900, H = 160, L = 60, xs = a.series[0].p.map(p => p[0]),
		      max = Math.max(1e-9, ...a.series.flatMap(s => s.p.map(p => p[1]))),
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
			stroke : `hsl(${i * 67 % 360} 70% 50%)`,
			'stroke-width' : 2,
			'stroke-dasharray' : [ '', '6 3', '2 3' ][i % 3]
		},
			                               sv('title', {}, r.k.join(', ')))));
		const shown = v => fmt(Math.round(v * 1000) / 1000, a.unit);
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
				   stroke : `hsl(${i * 67 % 360} 70% 50%)`,
				   'stroke-width' : 2,
				   'stroke-dasharray' : [ '', '6 3', '2 3' ][i % 3]
			   })),
			' ' + (r.k.join(', ') || a.fn))));
		const d = el('details', {}, el('summary', {}, 'numbers'));
		sec.append(el('p', {className : 'dim'}, 'a second, of the largest rows'), el('div', {
			className : 'wrap',
			tabIndex : 0,
			role : 'region',
			'aria-label' : 'time series ' + (++rg)
		},
		                                                                              s),
		           legend, d);
		table(d, [ 'time', ...a.keys, 'a second' ],
		      a.series.flatMap(r => r.p.map(p => [p[0].toFixed(1) + ' s', ...r.k, p[1]])),
		      a.unit, a.keys.length + 1, 50)
	}
	for (const a of D.aggs) {
		const sec = el('section', {'aria-labelledby' : 'h' + (++n)},
		               el('h2', {id : 'h' + n}, a.title || '@' + a.name));
		main.append(sec);
		({
			flame,
			hist : (s, a) => a.rows.forEach(r => hist(s, a, r)),
			table : (s, a) =>
			    table(s, [...a.keys, a.fn ], a.rows.map(r => [...r.k, r.v]), a.unit,
			          a.keys.length)
		})[a.kind](sec, a);
		if (a.times && a.times.some(t => t.b.length))
			heat(sec, a);
		if (a.series)
			series(sec, a)
	}
	document.getElementById('static').hidden = true;
})();
