# Programs built with <sys/sdt.h>: position-independent, not so, static, stripped, and libraries that
# come with the program or later.
# needs: user
# timeout: 60
. tests/lib.sh
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
finish
