# A program with hooks that dies of a signal leaves a core file of itself alone: the memory of counters and records, gigabytes
# of addresses, is not in it.
# needs: user
. tests/lib/lib.sh
need gcc

cat >"$TMP/dies.c" <<'C'
#include <stdio.h>
#include <string.h>
__attribute__((noinline, noclone, noipa)) long count_me(long x) { return x + 1; }
/* Mappings of the tracer's memory, and those of them that a core file has. */
static void look(void)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	char line[1024];
	int n = 0, dumped = 0, ours = 0;
	while (fgets(line, sizeof(line), f)) {
		if (strchr(line, '-') && strstr(line, " /memfd:"))
			n += ours = 1;
		else if (strncmp(line, "VmFlags:", 8) == 0) {
			dumped += ours && !strstr(line, " dd");
			ours = 0;
		}
	}
	printf("%s mapped, %d dumped\n", n ? "they are" : "not", dumped);
	fflush(stdout);
	fclose(f);
}
int main(void)
{
	for (long i = 0; i < 1000; i++)
		count_me(i);
	look();
	count_me(*(volatile char *)8);
	return 0;
}
C
gcc -O1 -o "$TMP/dies" "$TMP/dies.c" || fail "dies.c does not compile"

ulimit -c 0 # what would be in it is told by the mappings
for clause in '@ = count();' '@[arg0 > 1000] = count();' '@[ustack(2)] = count();'; do
	d -n 'fpid$target:a.out:count_me:entry { '"$clause"' }' -o "$TMP/agg" -c "$TMP/dies"
	like "$clause" "$err" "*1 hooked*terminated by SIGSEGV*"
	is "$clause" "$out" "they are mapped, 0 dumped"
	like "$clause: counted" "$(tr -s ' \n' ' ' <"$TMP/agg")" "*1000 *"
	rm -f "$TMP/agg"
done
finish
