# copyinstr reads the target's memory; a bad address is the fault invalid address.
# needs: user
. tests/lib/lib.sh

d -qn 'pid$target:libc.so.6:write:entry, pid$target:libc.so.6:__write:entry /!n++/ { printf("%s|", stringof(copyin(arg1, arg2))); printf("%s\n", copyinstr(arg1, 4)); }' \
	-c '/bin/echo hello world' -o "$TMP/agg"
ends 0 copyin
is "the text written" "$(head -2 "$TMP/agg" | tr '\n' '~')" "hello world~|hel~"
d -qn 'pid$target:a.out:leaf:entry /!n++/ { trace(copyinstr(1)); } ERROR { printf("%d %d", arg4, arg5); exit(0); }' -c "$TARGETS/t 1" -o "$TMP/agg2"
is "fault and address" "$(cat "$TMP/agg2")" "1 1"
like "message" "$err" "dtrace: error on enabled probe ID 1 (ID *: pid*:t:leaf:entry): invalid address (0x1) in action #1 at DIF offset *"

# to the end of what may be read and written, and not beyond
need gcc
cat >"$TMP/p.c" <<'END'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
char text[32] = "original";
const char constant[] = "constant";
__attribute__((noipa)) void hit(char *edge, const char *fixed, char *text) { }
int main(void)
{
	char *page = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED || mprotect(page + 4096, 4096, PROT_NONE))
		return 1;
	strcpy(page + 4088, "abc");
	memcpy(page + 4092, "last", 4);
	hit(page + 4092, constant, text);
	printf("%s %.4s\n", text, page + 4092);
	return 0;
}
END
gcc -g -w -o "$TMP/p" "$TMP/p.c" || fail "cannot build"

does() { # does ACTIONS OUTPUT [PROGRAM'S]: a fault prints F, its code and where from arg0
	d -wqn 'pid$target:a.out:hit:entry { self->edge = arg0; '"$1"'; }
		ERROR { printf("F%d%+d", arg4, arg5 - self->edge); }' -c "$TMP/p" -o "$TMP/did"
	is "$1" "$(cat "$TMP/did")" "$2"
	is "$1: the program" "$out" "${3:-original last}"
	rm -f "$TMP/did"
}
does 'trace(copyinstr(arg0 - 4))' abc
does 'trace(copyinstr(arg0, 5))' last
does 'trace(copyinstr(arg0))' F1+0
does 'trace(copyinstr(arg0 + 4))' F1+4
does 'trace(*(int *)copyin(arg0, 4))' 1953718636
does 'trace(*(int *)copyin(arg0, 5))' F1+0
does 'trace(*(int *)arg0)' 1953718636
does 'trace(*(long *)arg0)' F1+0
does 'this->p = (char *)alloca(8); copyinto(arg0, 4, this->p); trace(this->p[3])' 116
does 'this->p = (char *)alloca(8); copyinto(arg0, 8, this->p)' F1+0
does 'copyoutstr("new", arg2, 32)' "" "new last"
does 'copyoutstr("new", arg2, 2)' "" "neiginal last"
does 'copyoutstr("WXYZ and more", arg0, 4)' "" "original WXYZ"
does 'copyoutstr("x", arg0 + 4, 2)' F1+4
d -wqn 'pid$target:a.out:hit:entry { self->a = arg1; copyoutstr("x", arg1, 2); }
	ERROR { printf("%d %d", arg4, arg5 == self->a); }' -c "$TMP/p" -o "$TMP/did"
is "read-only memory stays" "$(cat "$TMP/did") $out" "1 1 original last"
rm "$TMP/did"
for call in 'copyinstr(0)' 'copyinstr(0xffffffff81000000)' 'copyin(0, 1)'; do
	d -qn 'pid$target:a.out:hit:entry { x = '"$call"'; } ERROR { printf("%d %x", arg4, arg5); }' \
		-c "$TMP/p" -o "$TMP/did"
	like "$call" "$(cat "$TMP/did")" "1 *0"
	rm "$TMP/did"
done
d -qn 'pid$target:a.out:hit:entry { n = 100000000; x = copyin(arg2, n); } ERROR { printf("%d", arg4); }' \
	-c "$TMP/p" -o "$TMP/did"
is "more than scratch memory" "$(cat "$TMP/did")" 5
rm "$TMP/did"
d -qn 'pid$target:a.out:hit:entry { copyoutstr("x", arg2, 2); }' -c "$TMP/p"
ends 1 "without -w"
like "without -w" "$err" "*Destructive actions not allowed"
does 'copyout(copyin(arg0, 4), arg2, 4)' "" "lastinal last"

# with the data model of 32 bits, addresses of a 64-bit target stay whole
d -32 -qn 'pid$target::main:entry { this->argv = (char **)arg1; printf("%d %s\n", (uint64_t)this->argv == arg1,
		copyinstr(*(uint64_t *)copyin(arg1, 8))); exit(0); }' -c "$TARGETS/t 1" -o "$TMP/model"
is "-32" "$(head -1 "$TMP/model")" "1 $TARGETS/t"
finish
