# Code that runs before main: of the dynamic linker, and constructors of libraries; those of libraries that
# are loaded later, with -Z.
# needs: user
. tests/lib/lib.sh

d -qn 'pid$target:ld-linux*::entry { @ = count(); }' -x evaltime=exec -c /bin/true
ends 0 "ld.so"
[ "$(printf '%s' "$out" | tr -d ' \n')" -gt 100 ] || fail "the linker works: $out"
d -qn 'pid$target:ld-linux*::entry { @ = count(); }' -c "$TARGETS/lazy 3"
ends 0 "every function of ld.so"
[ "$(awk 'NF == 1 && /^ / { print $1 }' "$TMP/out")" -gt 100 ] || fail "dlopen: $out"
like "the program's output" "$out" "*ns_get16 9*"

need cc
cat >"$TMP/early.c" <<'EOF'
int early_calls;
__attribute__((noinline)) int early(int x)
{
	return early_calls += x;
}
__attribute__((constructor)) static void born(void)
{
	early(1);
}
EOF
cat >"$TMP/prog.c" <<'EOF'
#include <dlfcn.h>
#include <stdio.h>
int early(int);
int main(int argc, char **argv)
{
	void *lib = dlopen(argv[1], RTLD_NOW);
	int (*fn)(int) = lib ? (int (*)(int))dlsym(lib, "early") : 0;

	printf("%d\n", fn ? fn(argc - 1) : 0);
	return 0;
}
EOF
cc -O1 -g -shared -fPIC -o "$TMP/libearly.so" "$TMP/early.c" && cc -O1 -g -o "$TMP/later" "$TMP/prog.c" &&
	cc -O1 -g -Wl,--no-as-needed -o "$TMP/now" "$TMP/prog.c" "$TMP/libearly.so" || fail "no programs"

# count FILE ARGS...: calls of early
count() {
	file=$1
	shift
	d "$@" -qn 'pid$target:libearly.so:early:entry { @ = count(); } END { printa("%@d\n", @); }' \
		-o "$TMP/$file"
	is "$*: what the program prints" "$out" 2
	grep . "$TMP/$file"
}

# The constructors of a library run before the entry point of the program.
is preinit "$(count pre -x evaltime=preinit -c "$TMP/now $TMP/libearly.so")" 2
is postinit "$(count post -x evaltime=postinit -c "$TMP/now $TMP/libearly.so")" 1
is main "$(count main -x evaltime=main -c "$TMP/now $TMP/libearly.so")" 1

# A library that comes by dlopen: pending with -Z, an error without.
is "before its constructors" "$(count dl -Z -c "$TMP/later $TMP/libearly.so")" 2
d -Zqn 'pid$target:libresolv.so.2:ns_get16:entry { @ = count(); } END { printa("%@d\n", @); }' \
	-o "$TMP/agg" -c "$TARGETS/lazy 5"
ends 0 "a library to come"
is "a library that comes five times" "$(grep . "$TMP/agg")" 15
d -qn 'pid$target:libresolv.so.2:ns_get16:entry { @ = count(); }' -c "$TARGETS/lazy 1"
ends 1 "without -Z"
like "without -Z" "$err" "*does not match any probes*"
finish
