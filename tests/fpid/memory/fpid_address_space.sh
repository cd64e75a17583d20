# Hooks take of a program's addresses what they need: little for one thread, some for many; a program with few to
# give (RLIMIT_AS, memory that it locks as an ordinary user, its own layout of all addresses) runs as without them.
# needs: user
# timeout: 180
. tests/lib/lib.sh
need gcc

cat >"$TMP/space.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
__attribute__((noinline, noclone, noipa)) long count_me(long x) { return x + 1; }
static pthread_barrier_t all, end;
static void *thread(void *arg)
{
	for (long i = 0; i < 100; i++)
		count_me(i);
	pthread_barrier_wait(&all);
	pthread_barrier_wait(&end);
	return arg;
}
static long mib(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	long kb = 0;
	while (fgets(line, sizeof(line), f))
		sscanf(line, "VmSize: %ld", &kb);
	fclose(f);
	return kb >> 10;
}
int main(int argc, char **argv)
{
	int n = atoi(argv[1]);
	pthread_t t[n + 1];
	pthread_attr_t small;
	count_me(0);
	if (argc > 2 && !strcmp(argv[2], "limit")) {
		struct rlimit r = {(rlim_t)(mib() + 40) << 20, (rlim_t)(mib() + 40) << 20};
		if (setrlimit(RLIMIT_AS, &r) || !malloc(30 << 20))
			return 3;
	}
	if (argc > 2 && !strcmp(argv[2], "lock") && mlockall(MCL_CURRENT))
		return 4;
	if (argc > 2 && !strcmp(argv[2], "load")) {
		void *lib = dlopen(argv[3], RTLD_NOW);
		long (*late)(long) = lib ? (long (*)(long))dlsym(lib, "late19999") : NULL;
		if (!late)
			return 5;
		for (int i = 0; i < 7; i++)
			late(i);
	}
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	pthread_barrier_init(&all, NULL, n + 1);
	pthread_barrier_init(&end, NULL, n + 1);
	for (int i = 0; i < n; i++)
		pthread_create(&t[i], &small, thread, NULL);
	pthread_barrier_wait(&all);
	printf("%ld\n", mib());
	pthread_barrier_wait(&end);
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	return 0;
}
C
gcc -O1 -o "$TMP/space" "$TMP/space.c" -pthread -ldl || fail "space.c does not compile"

# added THREADS CLAUSE MIB: no more is added than that
added() {
	d -x fpidfallback=none -o "$TMP/agg" -n 'fpid$target:a.out:count_me:entry { '"$2"' }' -c "$TMP/space $1"
	ends 0 "$1 threads, $2"
	like "$1 threads, $2" "$err" "*: 1 hooked*"
	own=$("$TMP/space" "$1")
	[ $((out - own)) -le "$3" ] || fail "$1 threads, $2: $((out - own)) MiB were added"
	like "$1 threads, $2: counted" "$(tr -s ' \n' ' ' <"$TMP/agg") " "* $((100 * $1 + 1)) *"
	rm -f "$TMP/agg"
}
added 0 '@ = count();' 4
added 0 '@[arg0 > 1000] = count();' 12
added 0 '@[ustack(1)] = count();' 40
added 64 '@ = count();' 16
added 64 '@[arg0 > 1000] = count();' 68
added 64 '@[ustack(1)] = count();' 68

d -x fpidfallback=none -o "$TMP/agg" -n 'fpid$target:a.out:count_me:entry { @ = count(); }' -c "$TMP/space 4 limit"
ends 0 "RLIMIT_AS"
like "RLIMIT_AS" "$(tr -s ' \n' ' ' <"$TMP/agg") " "* 401 *"
rm -f "$TMP/agg"

if [ "$(id -u)" = 0 ]; then
	chmod 755 "$TMP"
	(
		ulimit -l 8192
		exec setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all "$TMP/space" 0 lock
	) >"$TMP/lock" 2>&1
	status=$?
	if [ $status = 0 ]; then
		(
			ulimit -l 8192
			exec "$DTRACE" -x fpidfallback=none -x follow -qn 'fpid$target:space:count_me:entry { @ = count(); }' -Z \
				-c "setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all $TMP/space 0 lock"
		) >"$TMP/lock" 2>&1 || fail "mlockall as an ordinary user: $(cat "$TMP/lock")"
		like "mlockall as an ordinary user" "$(tr -s ' \n' ' ' <"$TMP/lock") " "* 1 *"
	fi
fi

# many functions that come later need more counters than were there
awk 'BEGIN {
	print ".text"
	for (i = 0; i < 20000; i++) {
		f = "late" i
		printf ".globl %s\n.type %s,@function\n.p2align 4\n%s: push %%rbp\n mov %%rsp,%%rbp\n", f, f, f
		printf " lea 1(%%rdi),%%rax\n pop %%rbp\n ret\n.size %s,.-%s\n", f, f
	}
	print ".section .note.GNU-stack,\"\",@progbits"
}' >"$TMP/late.s"
gcc -shared -o "$TMP/late.so" "$TMP/late.s" || fail "late.so does not link"
d -x fpidfallback=none -Zqn 'fpid$target:a.out:count_me:entry, fpid$target:late.so::entry { @[probefunc] = count(); }
	fpid$target:a.out:count_me:entry { self->n++; @sum[probefunc] = sum(self->n); }' -c "$TMP/space 3 load $TMP/late.so"
ends 0 "later functions"
like "later functions" "$(echo $out)" "* late19999 7 count_me 301 count_me 15151"
case $err in *"could not"* | *breakpoint*) fail "later functions: $err" ;; esac

if command -v sbcl >/dev/null; then
	printf '(defun fib (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))\n(print (fib 20))\n(gc :full t)\n(print (length (make-list 100000)))\n(terpri)\n' \
		>"$TMP/fib.lisp"
	d -o "$TMP/agg" -n 'fpid$target:::entry { @ = count(); }' -c "sbcl --script $TMP/fib.lisp"
	ends 0 "sbcl"
	is "sbcl" "$(echo $out)" "6765 100000"
else
	echo "SKIP sbcl: not installed"
fi
finish
