# vtimestamp in hooks: what is recorded has its thread's time on CPUs by then, as the kernel tells of switches;
# the same as breakpoints read it, and a sleep is not in it.
# needs: user
. tests/lib/lib.sh
need gcc

cat >"$TMP/v.c" <<'C'
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static long total;
static long now(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}
__attribute__((noinline, noclone, noipa)) void nap_and_work(void)
{
	long end;
	usleep(20000);
	end = now(CLOCK_THREAD_CPUTIME_ID) + 5000000;
	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}
static void *run(void *arg)
{
	long before = now(CLOCK_THREAD_CPUTIME_ID);
	for (int i = 0; i < 10; i++)
		nap_and_work();
	__atomic_fetch_add(&total, now(CLOCK_THREAD_CPUTIME_ID) - before, __ATOMIC_RELAXED);
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, run, NULL);
	run(NULL);
	pthread_join(t, NULL);
	printf("cpu %ld\n", total);
	return 0;
}
C
gcc -O1 -pthread -o "$TMP/v" "$TMP/v.c" || fail "v.c does not compile"

for prov in pid fpid; do
	d -n "$prov"'$target:a.out:nap_and_work:entry { self->v = vtimestamp; self->t = timestamp; }
		'"$prov"'$target:a.out:nap_and_work:return { @v = sum(vtimestamp - self->v); @t = sum(timestamp - self->t); @n = count(); @whole = max(vtimestamp); }
		END { printa("v %@d t %@d n %@d whole %@d\n", @v, @t, @n, @whole); }' -c "$TMP/v"
	ends 0 "$prov"
	like "$prov" "$out" "*cpu * n 20 whole *"
	# 20 naps of 20 ms are in one and not in the other; nothing of the work is missing
	echo "$out" | awk '$1 == "cpu" { cpu = $2 } $1 == "v" { if ($2 > $4 - 390000000 || $2 < cpu / 2 || $8 < $2 / 2) print }' >"$TMP/bad"
	[ ! -s "$TMP/bad" ] || fail "$prov: $out"
done
case $err in
*"1 hooked"*) ;;
*"stands still"*) skip "the kernel tells nobody of switches here" ;;
*) fail "not hooked: $err" ;;
esac

# a small ring is waited for, as a hit that is missing takes the time of another one away; unless it is to be lost
pairs='fpid$target:a.out:f:entry { self->v = vtimestamp; } fpid$target:a.out:f:return /self->v/ { @n = count(); @v = sum(vtimestamp - self->v); self->v = 0; }
	END { printa("n %@d\n", @n); }'
d -x fpidbuf=64k -qn "$pairs" -c "$TARGETS/hot 50000"
ends 0 "a small ring"
like "a small ring" "$out $err" "*n 50000* "
d -x fpidbuf=64k -x fpidfull=drop -qn "$pairs" -c "$TARGETS/hot 50000"
ends 0 "a small ring, drop"
like "a small ring, drop" "$err" "*hits*were dropped*"
finish
