# Per-thread variables of the executable, however it was linked, and of libraries, however they reach them, are
# those of the thread that is hit.
# needs: user
. tests/lib/lib.sh
. tests/lib/attach.sh
need gcc

cat >"$TMP/p.c" <<'END'
#include <pthread.h>
#include <stddef.h>
struct pair { int a; char text[8]; };
__thread long aligned __attribute__((aligned(64))) = 3;
__thread int number = 5, empty;
__thread struct pair pair = {7, "seven"};
__attribute__((noipa)) void hit(void) { }
static void *run(void *arg)
{
	long n = (long)arg;

	number = (int)n * 10;
	pair.a = (int)n * 100;
	pair.text[0] = (char)('A' + n);
	empty = (int)n;
	hit();
	return NULL;
}
int main(void)
{
	pthread_t t;

	for (long i = 1; i < 3; i++)
		if (pthread_create(&t, NULL, run, (void *)i) || pthread_join(t, NULL))
			return 1;
	hit();
	return 0;
}
END
for how in "" -static -no-pie -static-pie "-O1 -gsplit-dwarf" "-O2 -gdwarf-4"; do
	# shellcheck disable=SC2086
	(cd "$TMP" && gcc -g $how -o p p.c -pthread) || fail "gcc $how"
	d -qn 'pid$target:a.out:hit:entry {
		printf("%d %d %s %d %d;", `number, `pair.a, `pair.text, `empty, `aligned); }' -c "$TMP/p"
	ends 0 "$how"
	is "gcc $how" "$out" "10 100 Beven 1 3;20 200 Ceven 2 3;5 7 seven 0 3;"
done

# A library is there from the start, or comes later: then a thread has its variables when it first uses them.
cat >"$TMP/lib.c" <<'END'
static __thread char first = 'f';
__thread int of_library = 3;
__thread struct { int number; char text[8]; } pairs[2] = {{1, "one"}, {2, "two"}};
int library(int n)
{
	pairs[1].number += n;
	first++;
	return of_library += n;
}
END
cat >"$TMP/q.c" <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#ifndef LATE
extern int library(int);
#endif
static int (*use)(int);
__attribute__((noipa)) void hit(void) { }
static void *run(void *arg)
{
	long n = (long)arg;

	if (n != 2)
		use((int)n);
	hit();
	return NULL;
}
int main(void)
{
	pthread_t t;

#ifdef LATE
	void *lib = dlopen(LATE, RTLD_NOW);

	*(void **)&use = lib ? dlsym(lib, "library") : NULL;
#else
	use = library;
#endif
	puts("ready");
	fflush(stdout);
	getchar();
	for (long i = 1; i < 4; i++)
		if (pthread_create(&t, NULL, run, (void *)i) || pthread_join(t, NULL))
			return 1;
	return 0;
}
END
show='pid$target:a.out:hit:entry { printf("%d %d %s %c;", lib.so`of_library, lib.so`pairs[1].number,
	lib.so`pairs[1].text, lib.so`first); }'
for dialect in gnu gnu2; do
	(cd "$TMP" && gcc -g -shared -fPIC -mtls-dialect=$dialect -o lib.so lib.c &&
		gcc -g -o q q.c -pthread -L. -l:lib.so -Wl,-rpath,"$TMP") || fail "gcc $dialect"
	d -qn "$show" -c "$TMP/q" -o "$TMP/agg"
	ends 0 "$dialect"
	is "$dialect" "$(cat "$TMP/agg")" "4 3 two g;3 2 two f;6 5 two g;"
	rm -f "$TMP/agg"
done
d -qn 'pid$target:a.out:hit:entry { this->n = libc`errno; exit(0); }' -c "$TMP/q"
[ "$status" = 0 ] || like "errno" "$err" "*errno: *no debug information*"

(cd "$TMP" && gcc -g -shared -fPIC -mtls-dialect=gnu -o lib.so lib.c && gcc -g -DLATE="\"$TMP/lib.so\"" -o late q.c -pthread)
mkfifo "$TMP/in"
"$TMP/late" <"$TMP/in" >"$TMP/said" &
target=$!
exec 9>"$TMP/in"
waits_for "$TMP/said" ready "late"
trace -qn "BEGIN { printf(\"armed\\n\"); } $show dtrace:::ERROR { printf(\"fault;\"); }" -p "$target"
traced
echo >&9
exec 9>&-
target_ends "late"
wait "$tracer"
is "a library of dlopen" "$(grep -v armed "$TMP/out")" "4 3 two g;fault;6 5 two g;"
finish
