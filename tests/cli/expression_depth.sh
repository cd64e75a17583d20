# Expressions of any depth, of each kind: more operands wait than there are registers. Beyond what a
# program may have there is one clear error. Where a source of events could decide such a clause, the
# answer is the same.
# needs: user
# timeout: 240
. tests/lib/lib.sh

# nest N OPEN CLOSE CORE: CORE in N times OPEN and CLOSE
nest() {
	awk -v n="$1" -v o="$2" -v c="$3" -v x="$4" 'BEGIN {
		for (i = 0; i < n; i++) a = a o
		for (i = 0; i < n; i++) b = b c
		printf "%s", a x b
	}'
}

# gives WANTED DECLARATIONS EXPRESSION
gives() {
	echo "$2 BEGIN { x = 3; y = 4; a[1] = 2; a[2] = 3; a[3] = 1; b[1, 2] = 3; b[1, 3] = 1; b[1, 1] = 2; p = (char *)alloca(8); p[0] = 2; trace($3); exit(0); }" >"$TMP/deep.d"
	d -x strsize=1000 -x scratchsize=4m -qs "$TMP/deep.d"
	ends 0 "depth $n: $3"
	is "depth $n: $3" "$out" "$1"
}

vars='int64_t x, y; int a[int], b[int, int]; char *p;'
for n in 5 7 8 9 50 223 224 225 226 250 255 256 300; do
	gives $((3 * n + 3)) "$vars" "$(nest $n '(x + ' ')' x)"
	gives $((3 * (n % 2) + (n % 2 ? -3 : 3))) "$vars" "$(nest $n '(x - ' ')' x)"
	gives $((n + 2)) "$vars" "strlen($(nest $n 'strjoin("a", ' ')' '"zz"'))"
	gives $((n % 3 + 1)) "$vars" "$(nest $n 'a[' ']' 1)"
	gives $((n % 3 + 1)) "$vars" "$(nest $n 'b[1, ' ']' 1)"
	gives $((3 + n)) "$vars" "$(nest $n '(y > x ? 1 + ' ' : 0)' x)"
	gives $((3 + n)) "$vars" "$(nest $n '(y < x ? 0 : ' ' + 1)' x)"
	gives $((1 - n % 2)) "$vars" "$(nest $n '(0 == ' ')' y)"
	gives $((n % 2 ? 0 : 3)) "$vars" "$(nest $n '(x ^ ' ')' x)"
	gives $((2 * n + 3)) "$vars" "$(nest $n '(p[0] + ' ')' x)"
	gives $((3 * n + 3)) "$vars" "$(nest $n '(x = x + ' ')' x)"
	gives $((3 * n + 3)) "$vars inline int64_t deep[int64_t q] = $(nest $n '(q + ' ')' q);" "deep[x]"
	gives $((6 * n + 12)) "$vars struct o { int64_t m; }; translator struct o < int64_t q > { m = q + $(nest $n '(q + ' ')' q); };" \
		"x + (x + xlate<struct o>(x).m)$(nest $n ' + (x' ')' '')"
done

# of keys, values and several arguments of one clause
deep=$(nest 260 '(x + ' ')' x)
d -qn "long x; BEGIN /$(nest 260 '(x == ' ')' 1)/ { x = 1; @[$deep, $deep] = sum($deep); printf(\"%d %d\n\", $deep, $deep); } BEGIN { exit(0); }"
ends 0 "a whole clause"
is "a whole clause" "$(echo $out)" "261 261 261 261 261"

# beyond: one line
for what in '(x + ' '!(' 'a[' 'strlen(' '(x ? x : ' '(x = '; do
	echo "int64_t x; int a[int]; BEGIN { trace($(nest 20000 "$what" ')' x)); }" >"$TMP/deep.d"
	d -qs "$TMP/deep.d"
	ends 1 "too deep: $what"
	is "too deep: $what" "$err" "dtrace: failed to compile script $TMP/deep.d: line 1: program is nested too deeply"
done

# what hooks and filters could decide
leaf='fpid$target:a.out:leaf:entry'
for n in 5 6 7 8 40 260; do
	sum=$(nest $n '(arg0 + ' ')' arg0)
	parity=$(nest $n '(arg0 ^ ' ')' 1)
	same="arg0 != $((n % 2 ? 1 : -1))"
	for claim in on off; do
		d -x claim=$claim -qn "long e, f; $leaf { @a = sum($sum); @b = sum(arg0 * $((n + 1))); } $leaf /$parity/ { @c = sum(arg0); } $leaf /$same/ { @d = sum(arg0); }
			$leaf /$parity && tid/ { trace(\"\"); e += arg0; } $leaf /$same/ { trace(\"\"); f += arg0; }
			END { printa(\"%@d %@d %@d %@d\", @a, @b, @c, @d); printf(\" %d %d\n\", e, f); }" -c "$TARGETS/t 300 1 quiet"
		ends 0 "hooks, depth $n"
		echo "$out" | awk '{ ok = $1 && $1 == $2 && $3 && $3 == $4 && $5 && $5 == $6 } END { exit !ok }' || fail "hooks, depth $n, claim=$claim: $out"
	done
done
for n in 5 6 7 8 260; do
	never=$(nest $n '(arg0 & ' ')' 0)
	d -qn "syscall::write:entry /pid == \$target && !$never/ { a++; } syscall::write:entry /pid == \$target/ { b++; }
		syscall::write:entry /pid == \$target && $never/ { c++; } END { printf(\"= %d %d %d\n\", a, b, c); }" -c "$TARGETS/t 10 1"
	ends 0 "system calls, depth $n"
	echo "$out" | awk '$1 == "=" { ok = $2 && $2 == $3 && $4 == 0 } END { exit !ok }' || fail "system calls, depth $n: $out"
done
finish
