# Stacks whose outer frames are those of the last stack, or look like them: functions of each kind call each
# other at random, and the stacks are those that breakpoints find, as often.
# needs: user
# timeout: 240
. tests/lib/lib.sh

need cc

cat >"$TMP/paths.c" <<'C'
#include <alloca.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
static unsigned state = 1, budget;
static unsigned any(unsigned n) { state = state * 1103515245 + 12345; return (state >> 16) % n; }
static long next(void);
#define FUNCTION __attribute__((noinline, noclone, noipa))
FUNCTION long hit(long n) { return n + 1; }
FUNCTION long plain(void) { return next() + 1; }
FUNCTION long large(void) { volatile long room[5] = {1}; return next() + room[0]; }
FUNCTION long grown(void) { char *p = alloca(16 + any(3) * 16); memset(p, 1, 16); return next() + p[3]; }
FUNCTION long aligned(void) { volatile long v __attribute__((aligned(64))) = 2; return next() + v; }
long changed(void); /* rbp is a number there, or a copy of the caller's */
long untouched(void);
__asm__(".text\n.type changed,@function\nchanged:.cfi_startproc\npush %rbp\n.cfi_adjust_cfa_offset 8\n.cfi_offset rbp,-16\n"
	"xor $4096,%rbp\ncall chosen\npop %rbp\n.cfi_adjust_cfa_offset -8\n.cfi_restore rbp\nret\n.cfi_endproc\n.size changed,.-changed\n"
	".type untouched,@function\nuntouched:.cfi_startproc\nsub $24,%rsp\n.cfi_adjust_cfa_offset 24\ncall chosen\n"
	"add $24,%rsp\n.cfi_adjust_cfa_offset -24\nret\n.cfi_endproc\n.size untouched,.-untouched\n");
FUNCTION long signalled(void) { raise(SIGUSR1); return next(); }
static void on(int sig) { if (next() == sig + 100000) abort(); }
long chosen(void) { return next(); }
static long next(void)
{
	static long (*const all[])(void) = {plain, large, grown, aligned, changed, untouched, plain, signalled};

	if (!budget || !any(12))
		return hit(1);
	budget--;
	return all[any(8)]() + (any(3) ? hit(2) : 0);
}
/* What was below the caller is there still, in a frame that covers it: only rbp tells. */
long frame(long size, long (*)(void)), around(long size, long (*)(void)), saves(void), leaves(void);
__asm__(".type frame,@function\nframe:.cfi_startproc\npush %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset rbp,-16\nmov %rsp,%rbp\n.cfi_def_cfa_register rbp\n"
	"sub %rdi,%rsp\ncall *%rsi\nleave\n.cfi_def_cfa rsp,8\nret\n.cfi_endproc\n.size frame,.-frame\n"
	".type around,@function\naround:.cfi_startproc\nsub $24,%rsp\n.cfi_adjust_cfa_offset 24\ncall frame\n"
	"add $24,%rsp\n.cfi_adjust_cfa_offset -24\nret\n.cfi_endproc\n.size around,.-around\n"
	".type saves,@function\nsaves:.cfi_startproc\npush %rbp\n.cfi_adjust_cfa_offset 8\n.cfi_offset rbp,-16\ncall hit\n"
	"pop %rbp\n.cfi_adjust_cfa_offset -8\nret\n.cfi_endproc\n.size saves,.-saves\n"
	".type leaves,@function\nleaves:.cfi_startproc\nsub $8,%rsp\n.cfi_adjust_cfa_offset 8\ncall hit\n"
	"add $8,%rsp\n.cfi_adjust_cfa_offset -8\nret\n.cfi_endproc\n.size leaves,.-leaves\n");
FUNCTION long covers(long (*first)(void), long (*second)(void))
{
	long (*const ways[])(long, long (*)(void)) = {around, frame, around};
	const long sizes[] = {32, 64, 32};
	long (*const calls[])(void) = {first, second, first}, sum = 0;

	for (int i = 0; i < 3; i++)
		sum += ways[i](sizes[i], calls[i]);
	return sum;
}
int main(int argc, char **argv)
{
	long (*const ways[])(void) = {saves, leaves};
	long sum = 0;

	for (int i = 0; i < 4; i++)
		sum += covers(ways[i & 1], ways[i >> 1]);

	signal(SIGUSR1, on);
	for (long i = atol(argv[1]); i > 0; i--) {
		if (i % 8 == 0)
			state = argc * 77 + any(5); /* ways that were gone before come again */
		budget = 3 + any(9);
		sum += i & 1 ? plain() : grown();
	}
	return sum == 1;
}
C

# one line for each stack, with how often it was there
lines() {
	awk '/`/ { s = s " " $1; next } NF == 1 { print $1 s; s = "" }' "$1" | sort
}

for flags in "-O1" "-O1 -fno-omit-frame-pointer" "-O2 -fcf-protection=none"; do
	# shellcheck disable=SC2086
	cc $flags -no-pie -w -o "$TMP/paths" "$TMP/paths.c" || fail "cc $flags"
	for depth in 4 20 48; do
		for provider in fpid pid; do
			d -x fpidbuf=4k -qn "$provider"'$target:a.out:hit:entry { @[ustack('$depth')] = count(); }' -o "$TMP/out" -c "$TMP/paths 700"
			ends 0 "$flags: $provider"
			like "$flags: $provider" "$err" ""
			lines "$TMP/out" | sed 's/libc\.so\.6`.*//' >"$TMP/$provider"
			rm -f "$TMP/out"
		done
		[ "$(wc -l <"$TMP/pid")" -ge "$depth" ] || fail "$flags: few stacks: $(wc -l <"$TMP/pid")"
		cmp -s "$TMP/fpid" "$TMP/pid" || fail "$flags, $depth frames: (< fpid, > pid)
$(diff "$TMP/fpid" "$TMP/pid" | head -20)"
	done
done
finish
