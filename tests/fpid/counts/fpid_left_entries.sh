# A signal handler that leaves by a jump may leave an entry of a table half made, in a moment that is hard to meet: here the
# program makes one so. Those behind it are counted all the same.
# needs: user
. tests/lib/lib.sh

need cc

cat >"$TMP/left.c" <<'C'
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#define MARK 0x1d5a7b3c9e2f4861
static volatile long last;
__attribute__((noinline)) void hit(long n) { last = n; }
/* The entry with that key, in memory that is shared with the tracer: its head is in front of the key. */
static uint64_t *entry_of(uint64_t key)
{
	uint64_t from, to, *found = NULL;
	char line[512], mode[5];
	FILE *maps = fopen("/proc/self/maps", "r");
	while (!found && maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %4s", &from, &to, mode) == 3 && !strcmp(mode, "rw-s"))
			for (uint64_t *p = (uint64_t *)from + 1; p < (uint64_t *)to && !found; p++)
				if (*p == key && (uint32_t)p[-1])
					found = p - 1;
	return found;
}
int main(void)
{
	uint64_t *entry;
	for (long i = 1; i <= 10; i++)
		hit(i);
	hit(MARK);
	entry = entry_of(MARK);
	printf("%s\n", entry ? "found" : "none");
	if (entry)
		*entry = 0;
	for (int i = 0; i < 1000; i++)
		hit(77777);
	return 0;
}
C
cc -O1 -o "$TMP/left" "$TMP/left.c" || fail cc
d -qn 'fpid$target:a.out:hit:entry { @[arg0] = count(); }' -o "$TMP/out1" -c "$TMP/left"
ends 0 "an entry that is left"
like "an entry that is left" "$err" ""
is "the program" "$out" found
is "those in front of it, and behind it" "$(awk '$1 <= 10 { n += $2 } $1 == 77777 { print n, $2 }' "$TMP/out1")" "10 1000"
finish
