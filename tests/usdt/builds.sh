# Programs built with <sys/sdt.h>: position-independent, not so, static, stripped, and libraries that
# come with the program or later.
# needs: user
. tests/lib/lib.sh
need gcc
[ -e /usr/include/sys/sdt.h ] || [ -e /usr/include/x86_64-linux-gnu/sys/sdt.h ] || skip "no sys/sdt.h"

cat >"$TMP/prog.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <sys/sdt.h>
static int hidden = 40;
int shown = 50;
int main(int argc, char **argv)
{
	char text[] = "words";
	for (int i = 0; i < 3; i++)
		DTRACE_PROBE5(build, step, i, (char)-i, argv[0], hidden, shown);
	DTRACE_PROBE1(build, end__now, &text[0]);
	return argc > 5;
}
END
for flags in "-O2" "-O0" "-O2 -no-pie -fno-pie" "-O2 -static" "-O2 -static-pie" "-O2 -flto"; do
	# shellcheck disable=SC2086
	gcc $flags -o "$TMP/prog" "$TMP/prog.c" 2>/dev/null || continue
	d -qn 'build$target:::step { printf("%d %d %d %d %s\n", args[0], args[1], (int)arg3, (int)arg4,
			basename(copyinstr(arg2))); }
		build$target:a.out::end-now { printf("%s\n", copyinstr(arg0)); }' -c "$TMP/prog"
	ends 0 "$flags"
	is "$flags" "$(echo "$out" | grep .)" "0 0 40 50 prog
1 -1 40 50 prog
2 -2 40 50 prog
words"
done

# Without symbols the notes are still there; what an operand says by a symbol is not.
gcc -O2 -s -o "$TMP/prog" "$TMP/prog.c"
d -qn 'build$target:::step { printf("%d %d\n", args[0], args[1]); }' -c "$TMP/prog"
is "stripped" "$(echo "$out" | grep .)" "0 0
1 -1
2 -2"

cat >"$TMP/lib.c" <<'END'
#include <sys/sdt.h>
void work(int n) { DTRACE_PROBE1(lib, work, n); }
END
gcc -O2 -fPIC -shared -o "$TMP/libwork.so" "$TMP/lib.c" || fail "the library"
printf 'void work(int); int main(void) { work(7); work(8); return 0; }' >"$TMP/user.c"
gcc -o "$TMP/user" "$TMP/user.c" -L"$TMP" -lwork -Wl,-rpath,"$TMP"
d -qn 'lib$target:libwork.so:work:work { printf("%d\n", args[0]); }' -c "$TMP/user"
is "a library" "$(echo "$out" | grep .)" "7
8"
printf '#include <dlfcn.h>
int main(int c, char **v) { (void)c; for (int i = 0; i < 3; i++) { void *h = dlopen(v[1], RTLD_NOW);
	((void (*)(int))dlsym(h, "work"))(i); dlclose(h); } return 0; }' >"$TMP/late.c"
gcc -o "$TMP/late" "$TMP/late.c" -ldl
d -Zqn 'lib$target:::work { printf("%d\n", (int)arg0); }' -c "$TMP/late $TMP/libwork.so"
is "a library that comes and goes" "$(echo "$out" | grep .)" "0
1
2"
d -Zqn 'lib*:::work { printf("%d\n", (int)arg0); }' -c "$TMP/late $TMP/libwork.so"
is "the same by a pattern" "$(echo "$out" | grep .)" "0
1
2"

# A semaphore of a library that comes and goes; each time it is raised anew.
cat >"$TMP/sem.c" <<'END'
#include <stdio.h>
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>
__attribute__((section(".probes"))) unsigned short lib_work_semaphore;
void work(int n) { if (lib_work_semaphore) DTRACE_PROBE1(lib, work, n); printf("%d %d\n", n, lib_work_semaphore); fflush(stdout); }
END
gcc -O2 -fPIC -shared -o "$TMP/libsem.so" "$TMP/sem.c"
d -Zqn 'lib$target:::work { printf("fired %d\n", (int)arg0); }' -o "$TMP/fired" -c "$TMP/late $TMP/libsem.so"
ends 0 "a semaphore of a library"
is "a semaphore of a library: what it sees" "$out" "0 1
1 1
2 1"
is "a semaphore of a library: firings" "$(grep . "$TMP/fired")" "fired 0
fired 1
fired 2"

# A file that was moved after it was linked: .stapsdt.base tells how far.
cat >"$TMP/moved.c" <<'END'
#define NOTE(base, name) "990: nop\n.pushsection .note.stapsdt,\"\",\"note\"\n.balign 4\n" \
	".4byte 992f-991f, 994f-993f, 3\n991: .asciz \"stapsdt\"\n992: .balign 4\n" \
	"993: .8byte 990b - " base ", _.stapsdt.base - " base ", 0\n" \
	".asciz \"moved\"\n.asciz \"" name "\"\n.asciz \"4@$7\"\n994: .balign 4\n.popsection\n"
__asm__(".pushsection .stapsdt.base,\"a\",\"progbits\"\n_.stapsdt.base: .space 1\n.popsection\n");
int main(void) { __asm__ volatile(NOTE("0", "not")); __asm__ volatile(NOTE("0x1000", "up")); return 0; }
END
gcc -O1 -o "$TMP/moved" "$TMP/moved.c" || fail "moved: does not assemble"
d -qn 'moved$target:::not,moved$target:::up { printf("%s %d\n", probename, arg0); }' -c "$TMP/moved"
is "moved" "$(echo "$out" | grep .)" "not 7
up 7"
finish
