# A function whose last instruction calls one that does not return is named in the stack, although
# the address of return lies behind it, where there may be no function.
# needs: user
. tests/lib/lib.sh
need gcc

cat >"$TMP/gone.c" <<'C'
#include <stdlib.h>
__attribute__((noinline, noreturn)) void gone(void) { exit(0); }
__attribute__((noinline, noreturn)) void last(void) { gone(); }
int main(void) { last(); }
__asm__(".skip 64, 0x90"); /* no function */
C
gcc -O1 -fno-toplevel-reorder -falign-functions=64 "$TMP/gone.c" -o "$TMP/gone" || fail "no program"
d -qn 'pid$target:a.out:gone:entry { ustack(3); }' -c "$TMP/gone" -o "$TMP/stack"
ends 0 ustack
is "the stack" "$(sed 's/^ *//; s/+0x[0-9a-f]*$/+/' "$TMP/stack" | grep .)" 'gone`gone
gone`last+
gone`main+'
d -qn 'pid$target:a.out:gone:entry { ustack(3); }' -x oformat=json -c "$TMP/gone" -o "$TMP/json"
is "names in JSON" "$(grep -o '"name": *"[a-z]*", *"offset": *[0-9]*' "$TMP/json" | tr -d ' "' |
	sed 's/offset:[1-9].*/behind/' | tr '\n' ' ')" 'name:gone,offset:0 name:last,behind name:main,behind '
finish
