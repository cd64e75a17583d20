# Memory asked for and given back, by user stack; an array by addresses.
. tests/lib/lib.sh
. tests/lib/scripts.sh
need gcc
cat >"$TMP/m.c" <<'C'
#include <stdlib.h>
#include <stdio.h>
void *volatile keep[100];
__attribute__((noinline)) static void asks(int i) { keep[i] = malloc(1000 + i); __asm__ volatile(""); }
int main(void)
{
	long n = 0, f = 0;

	for (int i = 0; i < 100; i++, n += 999 + i)
		asks(i);
	for (int i = 0; i < 50; i++, f += 999 + i)
		free(keep[i]);
	fprintf(stderr, "asked %ld\nfreed %ld\n", n, f);
	return 0;
}
C
gcc -O1 -o "$TMP/m" "$TMP/m.c" || fail "m.c"
script mallocs -c "$TMP/m"
is "bytes" "$(cell bytes)" "$(echo "$err" | awk '$1 == "asked" { print $2 }')"
is "freed" "$(cell freed)" "$(echo "$err" | awk '$1 == "freed" { print $2 }')"
is "the stack" "$(echo "$out" | awk '/malloc/ { on = 1 } on && NF == 1 && $1 ~ /^[0-9]+$/ { print $1; on = 0 }')" 100
like "who" "$out" "*m\`asks+*m\`main+*"
finish
