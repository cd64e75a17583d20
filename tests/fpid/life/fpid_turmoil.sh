# Threads, children, programs, signals and libraries that come and go, all at once, with every function
# hooked: the program is right, its count is ours, and a library that comes back is hooked as it was.
# needs: user
# timeout: 300
. tests/lib/lib.sh
rounds=${TURMOIL_ROUNDS-25}

turmoil() { # turmoil WHAT CLAUSES
	d -n 'fpid$target:a.out:count_me:entry { @calls = count(); } END { printa("calls %@d\n", @calls); }'"$2" -x fpidfallback=none \
		-o "$TMP/agg" -c "$TARGETS/turmoil $rounds"
	ends 0 "$1"
	is "$1: bad" "$(awk '$1 == "bad" { print $2 }' "$TMP/out")" 0
	is "$1: calls" "$(sed -n 's/.*:END calls //p' "$TMP/agg")" "$(awk '$1 == "count_me" { print $2 }' "$TMP/out")"
	# each library, by the number of its functions, is hooked alike each time, but for functions that an
	# old word on a stack points into
	awk '$2 == "fpid:" { print $3, $5 }' "$TMP/err" | sort -u >"$TMP/hooked"
	is "$1: hooked otherwise" "$(awk '$2 > most[$1] { most[$1] = $2 } { n[NR] = $1; got[NR] = $2 }
		END { for (i in n) if (got[i] < 0.9 * most[n[i]]) print n[i], got[i], most[n[i]] }' "$TMP/hooked")" ""
	[ "$(grep -c 'fpid: ' "$TMP/err")" -gt "$rounds" ] || fail "$1: no library came back: $err"
	rm -f "$TMP/agg"
}

all='fpid$target:::entry, fpid$target:::return'
turmoil counts "$all { @[probemod, probename] = count(); }"
turmoil sums 'self long n; fpid$target:::entry { self->n = self->n + 1; @s[probemod] = sum(arg0 & 1); }
	fpid$target:::return { self->n = self->n - 1; @m = max(self->n); }'
turmoil records 'fpid$target:lib*::entry, fpid$target:lib*::return { @[execname, probename] = count(); }'
turmoil stacks 'fpid$target:lib*::return { @[ustack(5)] = count(); }'
finish
