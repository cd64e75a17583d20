# Calls of a followed child's functions lead to its hooks at once when it has computed for a second; one that waits for
# as long, or is made to wait, keeps them as they are.
. tests/lib/lib.sh

cat >"$TMP/p.c" <<'C'
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
__attribute__((noinline, noclone)) long f(long x) { asm volatile(""); return x + 1; }
__attribute__((noinline, noclone)) long g(long x)
{
	asm volatile("nop; nop; nop; nop");
	x = f(x);
	asm volatile("nop");
	return x;
}
/* Does the call lead somewhere else than to f? */
static int is_led(void)
{
	unsigned char code[32];
	int rel;
	memcpy(code, (void *)g, sizeof(code));
	for (unsigned i = 0; i + 5 < sizeof(code); i++) {
		memcpy(&rel, code + i + 1, sizeof(rel));
		if (code[i] == 0xe8 && (char *)g + i + 5 + rel == (char *)f)
			return 0;
	}
	return 1;
}
int main(int argc, char **argv)
{
	struct timespec t = {1, 300000000};
	long x = 0;
	if (argc > 1)
		nanosleep(&t, NULL);
	while (argc == 1 && !is_led() && clock() < 60 * CLOCKS_PER_SEC)
		for (int i = 0; i < 100000; i++)
			x = g(x);
	printf("%s: %s\n", argc > 1 ? argv[1] : "busy", is_led() ? "led" : "as they are");
	return x < 0;
}
C
gcc -O2 -fno-optimize-sibling-calls -fcf-protection=none -o "$TMP/p" "$TMP/p.c" || skip "no compiler"
d -x follow -qn 'fpid$target:p:f:entry { @ = count(); }' -Z -o "$TMP/agg" -c "sh -c '$TMP/p waits; $TMP/p; true'"
ends 0 calls
is "calls" "$out" "waits: as they are
busy: led"
finish
