# A thread that is not the first one execs; the new program loads a library twice, the second time into a
# namespace of its own (dlmopen): both copies have the probes.
# needs: user
. tests/lib/lib.sh

need cc
echo '__attribute__((noinline)) int first(int x) { return x * 3 + 1; }' >"$TMP/lib.c"
cat >"$TMP/prog.c" <<'EOF'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *become(void *arg)
{
	char **argv = arg, *args[] = {argv[0], argv[1], "again", NULL};

	execv(argv[0], args);
	return NULL;
}
int main(int argc, char **argv)
{
	int (*a)(int), (*b)(int), sum = 0;
	void *one, *other;
	pthread_t t;

	if (argc == 2) {
		pthread_create(&t, NULL, become, argv);
		pthread_join(t, NULL);
		return 9;
	}
	one = dlopen(argv[1], RTLD_NOW);
	other = dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW);
	if (!one || !other)
		return 77;
	a = (int (*)(int))dlsym(one, "first");
	b = (int (*)(int))dlsym(other, "first");
	for (int i = 0; i < 5; i++)
		sum += a(i) + b(i) + b(i);
	printf("%d %s\n", sum, a == b ? "one" : "two");
	return 0;
}
EOF
cc -O1 -shared -fPIC -o "$TMP/libfirst.so" "$TMP/lib.c" && cc -O1 -pthread -o "$TMP/prog" "$TMP/prog.c" || fail "no programs"
"$TMP/prog" "$TMP/libfirst.so" >"$TMP/plain" || skip "no namespaces here"
d -Zqn 'pid$target:libfirst.so:first: { @[probename] = count(); } END { printa("%s %@d\n", @); }' -o "$TMP/agg" \
	-c "$TMP/prog $TMP/libfirst.so"
ends 0 "the program"
is "what it says" "$out" "$(cat "$TMP/plain")"
is "counts that are not 15" "$(awk 'NF == 2 && $2 != 15' "$TMP/agg")" ""
like "entry" "$(cat "$TMP/agg")" "*entry 15*"
finish
