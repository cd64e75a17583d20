# walltimestamp in hooks: it is timestamp and what the real-time clock is ahead, in clauses that the target runs itself, in
# what the engine does from records of them, and next to the clock of the tests.
# needs: user
. tests/lib/lib.sh
. tests/lib/claimed.sh

entry='fpid$target:a.out:leaf:entry'
return='fpid$target:a.out:leaf:return'
claimed "$entry"' { @[walltimestamp > 1600000000000000000, (walltimestamp - timestamp) - (walltimestamp - timestamp)] = count(); }'
claimed "$entry"' { self->w = walltimestamp; self->t = timestamp; } '"$return"' { @[(walltimestamp - self->w) - (timestamp - self->t)] = count(); self->w = self->t = 0; }'
claimed 'BEGIN { begun = walltimestamp; } '"$entry"' /walltimestamp >= begun/ { @ = count(); @ahead = max(walltimestamp - begun < 600000000000); }'

before=$(date +%s)
d -qn "$entry"' { @first = min(walltimestamp / 1000000000); @last = max(walltimestamp / 1000000000); } END { printa("%@d %@d\n", @first, @last); }' -c "$TARGETS/t 3000 4 quiet"
ends 0 "the time of day"
after=$(date +%s)
read -r first last <<E
$out
E
[ "$before" -le "$first" ] && [ "$first" -le "$last" ] && [ "$last" -le "$after" ] || fail "the time of day: $before, $out, $after"

# the predicate is decided in the target, the rest is done from a record: of the same time
d -x fpidfull=wait -qn "$entry"' /walltimestamp & 1/ { printf("%d\n", walltimestamp & 1); }' -c "$TARGETS/t 3000 4 quiet"
ends 0 "a predicate"
is "a predicate" "$(echo "$out" | sort -u) $err" "1 "

# The clock is set, for the tracer, while the target runs: forward, it goes on from there; back, it stands. It never goes back.
cat >"$TMP/set.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *t)
{
	static int (*next)(clockid_t, struct timespec *);
	int r;
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "clock_gettime");
	r = next(clock, t);
	if (clock == CLOCK_REALTIME && !access(getenv("CLOCK_IS_SET"), F_OK))
		t->tv_sec += atoi(getenv("CLOCK_SET_BY"));
	return r;
}
C
# is_set BY CONDITION: until the condition holds of what the target has seen
is_set() {
	rm -f "$TMP/is_set"
	CLOCK_IS_SET=$TMP/is_set CLOCK_SET_BY=$1 LD_PRELOAD=$TMP/set.so d -w -x aggrate=20ms -qn '
		long begun, seen, was; int waits; self long last;
		BEGIN { begun = walltimestamp; }
		fpid$target:a.out:f:entry /self->last > walltimestamp/ { @back = count(); }
		fpid$target:a.out:f:entry { self->last = walltimestamp; seen = walltimestamp; }
		tick-20ms /seen && !waits++/ { system("touch '"$TMP/is_set"'"); }
		tick-100ms /waits && '"$2"'/ { printf("seen\n"); exit(0); }
		tick-100ms { was = seen; }
		END { printa("back %@d\n", @back); }' -c "$TARGETS/hot 2000000000"
	ends 0 "set by $1"
	is "set by $1" "$(echo "$out" | grep .) $err" "seen "
}
if command -v gcc >/dev/null && gcc -shared -fPIC -o "$TMP/set.so" "$TMP/set.c" -ldl &&
	CLOCK_IS_SET=$TMP/none LD_PRELOAD=$TMP/set.so "$DTRACE" -V >/dev/null 2>&1; then
	is_set 86400 'seen - begun > 86400000000000'
	is_set -86400 'seen == was'
fi
finish
