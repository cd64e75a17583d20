# Per-thread variables of the executable, however it was linked, are those of the thread that is hit;
# those of a library are refused with the reason.
# needs: user
. tests/lib.sh
need gcc

cat >"$TMP/lib.c" <<'END'
__thread int of_library = 3;
int library(void) { return of_library; }
END
cat >"$TMP/p.c" <<'END'
#include <pthread.h>
#include <stddef.h>
extern int library(void);
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
#ifdef LIBRARY
	return library() != 3;
#else
	return 0;
#endif
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

(cd "$TMP" && gcc -g -shared -fPIC -o lib.so lib.c && gcc -g -DLIBRARY -o p p.c \
	-pthread -L. -l:lib.so -Wl,-rpath,"$TMP")
d -qn 'pid$target:a.out:hit:entry { trace(lib.so`of_library); }' -c "$TMP/p"
ends 1 "of a library"
like "says why" "$err" "*failed to resolve lib.so\`of_library: each thread has its own, and only those of the executable are found"
finish
