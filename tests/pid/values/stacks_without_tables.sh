# The callers of functions that no call frame information describes: written by hand, compiled without
# tables, or of a C library that has none, with signals and callbacks on the way.
# needs: user
. tests/lib/lib.sh
need gcc

names() { # names FILE: the functions in it, a line a stack
	sed 's/^ *//; s/.*`//; s/+0x.*//' "$1" | grep . | tr '\n' ' '
}

cat >"$TMP/hand.S" <<'S'
	.globl hand
	.type hand, @function
hand:
	push %rbx
	push %r12
	sub $24, %rsp
	xor %ebp, %ebp
	call leaf
	add $24, %rsp
	pop %r12
	pop %rbx
	ret
	.size hand, . - hand
	.globl plain		# a label, as many assemblers leave it
plain:
	sub $8, %rsp
	call leaf
	add $8, %rsp
	ret
	.section .note.GNU-stack, "", @progbits
S
cat >"$TMP/p.c" <<'C'
#include <signal.h>
#include <stdlib.h>
volatile int n;
void hand(void), plain(void);
__attribute__((noipa)) void leaf(void) { n++; }
__attribute__((noipa)) void handler(int sig) { (void)sig; leaf(); n++; }
__attribute__((noipa)) void by_signal(void) { raise(SIGUSR1); n++; }
__attribute__((noipa)) int order(const void *a, const void *b) { leaf(); return a < b ? -1 : 1; }
__attribute__((noipa)) void sorts(void) { int v[2] = {2, 1}; qsort(v, 2, sizeof(int), order); n += v[0]; }
int main(void)
{
	hand();
	plain();
	signal(SIGUSR1, handler);
	by_signal();
	sorts();
}
C
cd "$TMP" || exit
gcc -O2 p.c hand.S -o hand || fail "no program"
d -qn 'pid$target:a.out:leaf:entry /!n++/ { ustack(4); }' -c ./hand -o hand.out
ends 0 "a function written by hand"
is "by hand" "$(names hand.out)" "leaf hand main __libc_start_call_main "
d -qn 'pid$target:a.out:leaf:entry /n++ == 1/ { ustack(3); usym(ucaller); uaddr(ucaller); }' -c ./hand -o plain.out
ends 0 "a label"
is "a label" "$(echo $(sed 's/+0x.*/+/' plain.out))" \
	'hand`leaf hand`plain+ hand`main+ hand`plain hand`plain+'
gcc -O2 -rdynamic p.c hand.S -o dynamic && strip dynamic
d -qn 'pid$target:a.out:leaf:entry /n++ == 1/ { uaddr(ucaller); }' -c ./dynamic -o dynamic.out
like "a label among dynamic symbols alone" "$(grep . dynamic.out)" ' *dynamic`0x*'
d -qn 'pid$target:a.out:hand:1,pid$target:a.out:hand:7,pid$target:a.out:hand:12,pid$target:a.out:hand:14 {
	ustack(3); }' -c ./hand -o inside.out
ends 0 "within it"
is "at any of its instructions" "$(names inside.out | grep -o 'hand main __libc_start_call_main' | wc -l)" 4

gcc -O2 -fno-asynchronous-unwind-tables p.c hand.S -o bare || fail "no program"
d -qn 'pid$target:a.out:leaf:entry { ustack(12); }' -c ./bare -o bare.out
ends 0 "a program without tables"
like "by signal" "$(names bare.out)" "leaf hand main * leaf handler * by_signal main * leaf order * sorts main *"

if command -v musl-gcc >/dev/null 2>&1; then
	for how in -static -no-pie; do
		musl-gcc -O2 "$how" p.c hand.S -o musl || fail "no program with musl"
		d -qn 'pid$target:a.out:leaf:entry { ustack(12); }' -c ./musl -o musl.out
		ends 0 "musl $how"
		like "musl $how" "$(names musl.out)" "leaf hand main * leaf handler * raise by_signal main * leaf order * sorts main *"
	done
fi
finish
