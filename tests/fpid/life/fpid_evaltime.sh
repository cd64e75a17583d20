# Whenever the probes are enabled: what runs before the C library has threads is counted by breakpoints, and
# hooks take their place as soon as there can be any. No call is lost or counted twice.
# needs: user
# timeout: 120
. tests/lib/lib.sh

cat >"$TMP/p.c" <<'C'
#include <stdio.h>
static long calls;
__attribute__((noinline)) int work(int x)
{
	calls++;
	return x * 3 + 1;
}
__attribute__((noinline)) int outer(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += work(i);
	return s;
}
__attribute__((constructor)) static void early(void)
{
	outer(7);
}
int main(void)
{
	int s = outer(1000);
	printf("%d %ld\n", s, calls);
	return 0;
}
C

agree() { # agree WHAT EVALTIME CALLS: hooks count what breakpoints count, and what the program does
	for claim in on off; do
		d -x evaltime=$2 -x claim=$claim -n 'fpid$target:a.out:work:entry { @c["entry"] = count(); }
			fpid$target:a.out:work:return { @c["return"] = count(); @s = sum(arg1); }
			fpid$target:a.out:main:entry { @c["main"] = count(); }
			pid$target:a.out:work:entry { @c["pid"] = count(); }
			END { printf("\n"); printa("%s %@d\n", @c); printa("sum %@d\n", @s); }' -o "$TMP/agg" -c "$TMP/p"
		ends 0 "$1, $2, claim=$claim"
		is "$1, $2, claim=$claim: output" "$out" "1499500 1007"
		is "$1, $2, claim=$claim" "$(grep -v : "$TMP/agg" | grep . | sort | tr '\n' ' ')" \
			"entry $3 main 1 pid $3 return $3 sum $((1499500 + ($3 > 1000 ? 70 : 0))) "
		like "$1, $2, claim=$claim: verdict" "$err" "*fpid: 2 functions: 1 hooked, 1 by breakpoint; *"
		rm -f "$TMP/agg"

		# what was set in a call that began early is there at its end, and a record in its order
		d -x evaltime=$2 -x claim=$claim -n 'self int n; fpid$target:a.out:outer:entry { self->n++; self->t = timestamp; }
			fpid$target:a.out:outer:return /self->t && timestamp >= self->t/ { @n = sum(self->n); self->t = 0; }
			END { printf("\n"); printa("%@d", @n); }' -o "$TMP/agg" -c "$TMP/p"
		is "$1, $2, claim=$claim: variables" "$(grep -v : "$TMP/agg" | grep .)" "$([ $3 = 1007 ] && echo 3 || echo 1)"
		like "$1, $2, claim=$claim: hooked" "$err" "*fpid: 1 function: 1 hooked, 0 by breakpoint*"
		rm -f "$TMP/agg"
	done
}

for how in "" -static -static-pie; do
	gcc -O1 $how -o "$TMP/p" "$TMP/p.c" 2>/dev/null || continue
	for when in exec preinit postinit; do
		agree "gcc $how" $when 1007
	done
	agree "gcc $how" main 1000
done
for how in "" -static; do
	command -v musl-gcc >/dev/null 2>&1 && musl-gcc -O1 $how -o "$TMP/p" "$TMP/p.c" || continue
	agree "musl-gcc $how" exec 1007
	agree "musl-gcc $how" main 1000
done

# all functions, of the loader too, from the first instruction on: both providers see the same
gcc -O1 -o "$TMP/p" "$TMP/p.c"
for claim in on off; do
	d -x evaltime=exec -x claim=$claim -n 'fpid$target:::entry { @[probemod, probefunc] = sum(1); }
		pid$target:::entry { @[probemod, probefunc] = sum(-1); }
		END { printf("\n"); printa("%s %s %@d\n", @); }' -o "$TMP/agg" -c "$TMP/p"
	ends 0 "all functions"
	is "all functions: output" "$out" "1499500 1007"
	is "all functions, claim=$claim" "$(grep -v -e ' 0$' -e : "$TMP/agg" | grep .)" ""
	[ "$(grep -c . "$TMP/agg")" -gt 50 ] || fail "all functions: $(grep -c . "$TMP/agg") were called"
	rm -f "$TMP/agg"
done

# what -lv says is what will be
d -x evaltime=exec -lvn 'fpid$target:a.out:work:entry' -c "$TMP/p"
like "verdict" "$out" "*Hook*hook by jump*"

# no breakpoints, not for a while either: that is refused, by name an error
d -x evaltime=exec -x fpidfallback=none -n 'fpid$target:a.out:work:entry { @ = count(); }' -c "$TMP/p"
ends 1 "no fallback"
like "no fallback" "$err" "*failed to create entry probe for 'work': its threads have no control blocks before the C library starts*"
finish
