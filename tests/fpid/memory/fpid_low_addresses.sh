# The addresses below 2 GiB are the program's: what it can map there with MAP_32BIT is as much with hooks as without,
# also where its own code lies there; and where it has taken all of them early it is hooked all the same.
# needs: user
# timeout: 120
. tests/lib/lib.sh
. tests/lib/attach.sh
need gcc

cat >"$TMP/low.c" <<'C'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#define MIB (1UL << 20)
__attribute__((noinline, noclone, noipa)) long count_me(long x) { return x + 1; }
static unsigned long take(void)
{
	unsigned long n = 0;
	while (mmap(NULL, MIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_32BIT, -1, 0) != MAP_FAILED)
		n++;
	return n;
}
int main(int argc, char **argv)
{
	int early = argc > 1 && !strcmp(argv[1], "early");
	if (early) {
		take();
		for (unsigned long at = 65536; at < 2048 * MIB; at += 65536)
			mmap((void *)at, 65536, PROT_NONE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
		puts("ready");
		fflush(stdout);
		getchar();
	}
	for (long i = 0; i < 1000; i++)
		count_me(i);
	if (!early)
		printf("%lu\n", take());
	return 0;
}
C
for how in '-pie -fPIE' '-no-pie -fno-pic' '-static -no-pie -fno-pic'; do
	# shellcheck disable=SC2086
	gcc -O1 $how -o "$TMP/low" "$TMP/low.c" || fail "low.c does not compile ($how)"
	own=$("$TMP/low") || fail "untraced ($how)"
	for clause in '@ = count();' '@[arg0 > 1000] = count();' '@[ustack(1)] = count();' '@[pid] = max(arg0);'; do
		d -x evaltime=main -x fpidfallback=none -o "$TMP/agg" -n 'fpid$target:a.out:count_me:entry { '"$clause"' }' -c "$TMP/low"
		ends 0 "$how, $clause"
		like "$how, $clause" "$err" "*: 1 hooked*"
		[ $((out + 64)) -ge "$own" ] || fail "$how, $clause: $out MiB of $own could be mapped"
		rm -f "$TMP/agg"
	done
done

gcc -O1 -pie -fPIE -o "$TMP/low" "$TMP/low.c" || fail "low.c does not compile"
start_ready "$TMP/low" early
trace -x fpidfallback=none -n 'fpid$target:a.out:count_me:entry { @[probefunc] = count(); @m = max(arg0); }' -p "$target"
waits_for "$TMP/err" 'fpid: \|could not' "all low addresses are taken"
tell go
exec 3>&-
target_ends "all low addresses are taken"
trace_ends
ends 0 "all low addresses are taken"
is "all low addresses are taken" "$(echo $out)" "count_me 1000 999"
like "all low addresses are taken" "$err" "*fpid: 1 function: 1 hooked, 0 by breakpoint*"
finish
