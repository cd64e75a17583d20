# kill -9 of the command while it hooks libraries of many thousand functions, which takes longer than an engine that gives no
# sign of life is waited for: a thread that stands at a breakpoint meanwhile goes on, and the program ends as it would have.
# needs: user
# timeout: 180
. tests/lib/lib.sh
. tests/lib/attach.sh
lib=$(find /usr/lib /usr/lib64 -name 'libclang-cpp.so*' -size +20M 2>/dev/null | head -1)
[ -n "$lib" ] || skip "no libclang-cpp, which needs libLLVM"

cat >"$TMP/loads.c" <<'C'
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_int over;

/* its return has no room for a jump */
__asm__(".text\n.globl narrow\n.type narrow, @function\nnarrow:\n"
	"mov %rdi, %rax\ntest $1, %dil\nje 1f\nadd $100, %rax\nxor %ecx, %ecx\nrep stosb\n1: ret\njmp 1b\n.size narrow, . - narrow\n");
int narrow(int);

static void *work(void *arg)
{
	while (!over)
		narrow(1);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;
	void *lib;

	pthread_create(&t, NULL, work, NULL);
	puts("begins");
	fflush(stdout);
	while (getchar() != '\n')
		;
	puts("loads");
	fflush(stdout);
	lib = dlopen(argv[argc - 1], RTLD_NOW);
	puts(lib ? "loaded" : dlerror());
	over = 1;
	pthread_join(t, NULL);
	return 7;
}
C
gcc -O1 -pthread -o "$TMP/loads" "$TMP/loads.c" -ldl || skip "no compiler"

mkfifo "$TMP/fifo"
(exec "$TMP/loads" "$lib" <"$TMP/fifo" >"$TMP/said" 2>&1) &
target=$!
exec 4>"$TMP/fifo"
waits_for "$TMP/said" begins "the program"
"$DTRACE" -n 'fpid$target:a.out:narrow:entry,fpid$target:a.out:narrow:return,fpid$target:libLLVM*::entry,fpid$target:libclang*::entry { @[probefunc] = count(); }' \
	-Z -p $target >"$TMP/out" 2>"$TMP/err" </dev/null &
tracer=$!
waits_for "$TMP/err" 'fpid: .*1 by breakpoint' "the command"
echo >&4
waits_for "$TMP/said" loads "the program loads"
# its first thread stands still until what it has loaded is hooked
i=0
until grep -q libLLVM /proc/$target/maps && grep -q '^State:	t' /proc/$target/task/$target/status; do
	i=$((i + 1))
	[ $i -lt 2000 ] && ! grep -q loaded "$TMP/said" || break
done
kill -9 $tracer
wait $tracer 2>/dev/null
tracer=
wait $target
is "how it ends" $? 7
target=
is "what it says" "$(tail -1 "$TMP/said")" loaded
finish
