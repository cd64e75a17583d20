# Stacks of the user as keys, kept by the target: the same as from records; without room for a single
# record nothing is lost; what finds no room in the table is counted; signal handlers come between.
# needs: user
# timeout: 120
. tests/lib/lib.sh

need cc

# stacks PROGRAM [COMMAND]
stacks() {
	for how in claim=on claim=off; do
		d -x "$how" -x fpidfull=wait -qn "$1" -o "$TMP/$how" -c "${2:-$TARGETS/t 3000 4 quiet}"
		ends 0 "$how: $1"
		like "$how: $1" "$err" ""
	done
	grep -q '`' "$TMP/claim=on" || fail "$1: no stacks"
	cmp -s "$TMP/claim=on" "$TMP/claim=off" || fail "$1: (< claim=on, > claim=off)
$(diff "$TMP/claim=on" "$TMP/claim=off")"
	d -x fpidbuf=4k -qn "$1" -o "$TMP/small" -c "${2:-$TARGETS/t 3000 4 quiet}"
	like "without room for records: $1" "$err" ""
	cmp -s "$TMP/small" "$TMP/claim=on" || fail "$1: depends on records"
	rm -f "$TMP/small" "$TMP/claim=on" "$TMP/claim=off"
}

leaf='fpid$target:a.out:leaf:entry'
stacks "$leaf"' { @[ustack()] = count(); }'
stacks "$leaf"' { @[ustack(3), arg0 & 1] = sum(arg0); @q[ustack(2), ustack(5)] = quantize(arg0); }'
stacks 'fpid$target:a.out:leaf:return, fpid$target:a.out:recurse:entry, fpid$target:a.out:recurse:return { @[ustack(), probename, arg0 & 3] = count(); @d[ustack(4)] = max(arg0); }'
stacks 'fpid$target:a.out:cramped:entry, fpid$target:a.out:cramped:return { @[ustack(6)] = count(); }' "$TARGETS/cramped 300 3"
stacks "$leaf"' /arg0 > 50/ { n++; @[arg0 & 1 ? "odd" : "even", ustack(), ufunc(caller)] = count(); } END { printf("%d", n); }'

# one frame is the probe's own, more than can be kept there are recorded: the same answers
d -x fpidfull=wait -qn "$leaf"' { @[ustack(1)] = count(); @l[ustack(1000)] = count(); }' -c "$TARGETS/t 300 1 quiet"
is "one frame, and many" "$(echo "$out" | grep -c '`leaf')" 3

# the stacks of a recursion: one for each depth, as often as it was reached
cat >"$TMP/deep.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) int down(int n) { volatile int m = n; return n ? down(n - 1) + m : 0; }
int main(int argc, char **argv)
{
	int most = atoi(argv[1]), times = atoi(argv[2]), sum = 0;
	for (int i = 0; i < times; i++)
		sum += down(i % most);
	return sum == 1 && argc;
}
C
cc -O1 -o "$TMP/deep" "$TMP/deep.c" || fail cc
d -x fpidbuf=4k -qn 'fpid$target:a.out:down:entry { @[ustack(64)] = count(); }' -o "$TMP/out1" -c "$TMP/deep 40 4000"
ends 0 "a recursion"
like "a recursion" "$err" ""
# depth d of 40 is reached by the (40 - d) numbers from d on, 100 times each
awk '/`/ { if ($0 ~ /`down/) depth++; next } NF == 1 { print depth - 1, $1; depth = 0 }' "$TMP/out1" | sort -n >"$TMP/got"
awk 'BEGIN { for (d = 0; d < 40; d++) print d, (40 - d) * 100 }' | cmp -s - "$TMP/got" || fail "a recursion: $(cat "$TMP/got")"

rm -f "$TMP/out1"
# a table without room: what is missing is counted
d -x aggsize=16k -qn 'fpid$target:a.out:down:entry { @[ustack(500)] = count(); @n["all"] = count(); }' \
	-o "$TMP/out1" -c "$TMP/deep 400 400"
grep -Eqx " *all +80200" "$TMP/out1" || fail "a table without room: $(head -3 "$TMP/out1")"
lost=$(echo "$err" | sed -n 's/.*: \([0-9]*\) aggregation drops.*/\1/p' | awk '{ n += $1 } END { print n + 0 }')
kept=$(awk '/^ *[0-9]+$/ { n += $1 } END { print n + 0 }' "$TMP/out1")
[ "$lost" -gt 0 ] || fail "a table without room: nothing was dropped"
is "a table without room" "$((kept + lost))" 80200

rm -f "$TMP/out1"
# handlers of signals call hooked functions at any moment, and leave by a jump
cat >"$TMP/sig.c" <<'C'
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
static volatile long calls, handled;
static sigjmp_buf home;
__attribute__((noinline)) void hit(int n) { calls = calls + 1; __asm__ volatile("" : : "r"(n)); }
__attribute__((noinline)) void dive(int n) { if (n) dive(n - 1); else hit(n); __asm__ volatile(""); }
static void on(int sig)
{
	handled++;
	dive(handled % 5);
	if (handled % 3 == 0)
		siglongjmp(home, sig);
}
int main(void)
{
	struct itimerval every = {{0, 100}, {0, 100}};
	volatile int i = 0;
	signal(SIGALRM, on);
	setitimer(ITIMER_REAL, &every, 0);
	while (sigsetjmp(home, 1) || handled < 3000)
		for (; i < 2000000000 && handled < 3000; i++)
			dive(i % 50);
	every = (struct itimerval){{0, 0}, {0, 0}};
	setitimer(ITIMER_REAL, &every, 0);
	printf("calls %ld\n", calls);
	return 0;
}
C
cc -O1 -o "$TMP/sig" "$TMP/sig.c" || fail cc
d -x fpidbuf=4k -qn 'fpid$target:a.out:hit:entry { @[ustack(30)] = count(); @n["all"] = count(); }' \
	-o "$TMP/out1" -c "$TMP/sig"
ends 0 "signals"
calls=$(echo "$out" | sed -n 's/calls //p')
hits=$(awk '$1 == "all" { print $2 }' "$TMP/out1")
lost=$(echo "$err" | sed -n 's/.*: \([0-9]*\) aggregation drops.*/\1/p' | awk '{ n += $1 } END { print n + 0 }')
kept=$(awk '/^ *[0-9]+$/ { n += $1 } END { print n + 0 }' "$TMP/out1")
# a jump may leave between the hook and the program's own count, or between the two counts of the hook: at most once each
[ "$((hits - calls))" -ge 0 ] && [ "$((hits - calls))" -le 1000 ] || fail "signals: $hits hits of $calls calls"
[ "$((hits - kept - lost))" -ge -1000 ] && [ "$((hits - kept - lost))" -le 1000 ] || fail "signals: $hits hits, $kept kept, $lost dropped"
grep -q '<signal handler\|`on' "$TMP/out1" || fail "signals: no stack of a handler"
finish
