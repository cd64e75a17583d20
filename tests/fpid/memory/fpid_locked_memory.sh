# A program with hooks that locks its memory (mlockall) keeps the tracer's in use locked, too, not the gigabytes that
# are there for threads to come; threads that come then are counted.
# needs: root
. tests/lib/lib.sh
need gcc

cat >"$TMP/locks.c" <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
__attribute__((noinline, noclone, noipa)) long count_me(long x) { return x + 1; }
static void *thread(void *arg)
{
	for (long i = 0; i < 100; i++)
		count_me(i);
	return arg;
}
static long resident(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	long kb = 0;
	while (fgets(line, sizeof(line), f))
		sscanf(line, "VmRSS: %ld", &kb);
	fclose(f);
	return kb;
}
int main(int argc, char **argv)
{
	FILE *f = fopen("/proc/self/oom_score_adj", "w"); /* if it goes wrong it is this program */
	if (f && fputs("1000", f) >= 0)
		fclose(f);
	count_me(0);
	if (mlockall(argc > 1 ? MCL_CURRENT | MCL_FUTURE : MCL_CURRENT))
		return 2;
	puts(resident() < 512 << 10 ? "small" : "large");
	for (int round = 0; round < 5; round++) {
		pthread_t t[10];
		for (int i = 0; i < 10; i++)
			pthread_create(&t[i], NULL, thread, NULL);
		for (int i = 0; i < 10; i++)
			pthread_join(t[i], NULL);
	}
	return 0;
}
C
gcc -O1 -o "$TMP/locks" "$TMP/locks.c" -pthread || fail "locks.c does not compile"

for future in '' ' future'; do
	for clause in '@ = count();' '@[arg0 > 1000] = count();' '@[ustack(1)] = count();'; do
		d -n 'fpid$target:a.out:count_me:entry { '"$clause"' }' -x fpidfull=wait -o "$TMP/agg" -c "$TMP/locks$future"
		ends 0 "$clause$future"
		like "$clause$future" "$err" "*: 1 hooked*"
		is "$clause$future" "$out" small
		like "$clause$future: counted" "$(tr -s ' \n' ' ' <"$TMP/agg")" "* 5001 "
		rm -f "$TMP/agg"
	done
done
finish
