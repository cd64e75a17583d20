# Programs that may not read the time stamp counter (PR_SET_TSC, strict mode of seccomp) are timed all the same, and
# still get the SIGSEGV of their own rdtsc.
# needs: user
. tests/lib/lib.sh
need gcc

cat >"$TMP/timeless.c" <<'C'
#include <linux/seccomp.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <x86intrin.h>
__attribute__((noinline, noclone, noipa)) long count_me(long x) { return x + 1; }
static volatile long faults;
static void on_fault(int sig)
{
	faults += sig == SIGSEGV;
	prctl(PR_SET_TSC, PR_TSC_ENABLE);
}
int main(int argc, char **argv)
{
	if (strcmp(argv[1], "tsc") == 0) {
		signal(SIGSEGV, on_fault);
		prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
	} else {
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	}
	for (long i = 0; i < 500; i++)
		count_me(i);
	if (strcmp(argv[1], "tsc") == 0)
		__rdtsc();
	if (write(1, faults == 1 ? "one\n" : "none\n", faults == 1 ? 4 : 5) < 0)
		return 1;
	syscall(SYS_exit, 0);
}
C
gcc -O1 -o "$TMP/timeless" "$TMP/timeless.c" || fail "timeless.c does not compile"

for what in 'tsc one' 'strict none'; do
	for options in '' '-x claim=off'; do
		# shellcheck disable=SC2086
		d -q $options -x fpidfallback=none -o "$TMP/agg" -c "$TMP/timeless ${what% *}" -n '
			fpid$target:a.out:count_me:entry { self->t = timestamp; }
			fpid$target:a.out:count_me:return /self->t/ { @n = count(); @min = min(timestamp - self->t); }
			END { printa("calls %@d\n", @n); printa("least %@d\n", @min); }'
		ends 0 "$what $options"
		is "$what $options: output" "$out$err" "${what#* }"
		like "$what $options" "$(tr '\n' ' ' <"$TMP/agg")" "*calls 500 least [1-9]*"
		rm -f "$TMP/agg"
	done
done
finish
