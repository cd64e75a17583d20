# vtimestamp in hooks, in clauses that the target runs and in those that are recorded: the thread's time on CPUs by
# then, the same as breakpoints read it, and a sleep is not in it.
# needs: user
. tests/lib/lib.sh
need gcc

cat >"$TMP/v.c" <<'C'
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static long total;
static long now(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}
__attribute__((noinline, noclone, noipa)) void nap_and_work(void)
{
	long end;
	usleep(20000);
	end = now(CLOCK_THREAD_CPUTIME_ID) + 5000000;
	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}
static void *run(void *arg)
{
	long before = now(CLOCK_THREAD_CPUTIME_ID);
	for (int i = 0; i < 10; i++)
		nap_and_work();
	__atomic_fetch_add(&total, now(CLOCK_THREAD_CPUTIME_ID) - before, __ATOMIC_RELAXED);
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, run, NULL);
	run(NULL);
	pthread_join(t, NULL);
	printf("cpu %ld\n", total);
	return 0;
}
C
gcc -O1 -pthread -o "$TMP/v" "$TMP/v.c" || fail "v.c does not compile"

# measured CLAIM PROVIDER
measured() {
	prov=$2
	d -x claim="$1" -n "$prov"'$target:a.out:nap_and_work:entry { self->v = vtimestamp; self->t = timestamp; }
		'"$prov"'$target:a.out:nap_and_work:return { @v = sum(vtimestamp - self->v); @t = sum(timestamp - self->t); @n = count(); @whole = max(vtimestamp); }
		END { printa("v %@d t %@d n %@d whole %@d\n", @v, @t, @n, @whole); }' -c "$TMP/v"
	ends 0 "$prov"
	like "$prov" "$out" "*cpu * n 20 whole *"
	# 20 naps of 20 ms are in one and not in the other; nothing of the work is missing
	echo "$out" | awk '$1 == "cpu" { cpu = $2 } $1 == "v" { if ($2 > $4 - 390000000 || $2 < cpu / 2 || $8 < $2 / 2) print }' >"$TMP/bad"
	[ ! -s "$TMP/bad" ] || fail "$prov: $out"
}
measured on pid
measured off fpid
like "records are hooks" "$err" "*1 hooked*"
measured on fpid
like "clauses are hooks" "$err" "*1 hooked*"

# clauses in the target: no hit is lost, none goes back, and all of the calls take less than the thread has had
d -qn 'fpid$target:a.out:f:entry { self->v = vtimestamp; @n = count(); }
	fpid$target:a.out:f:return /self->v/ { @m = count(); @v = sum(vtimestamp - self->v); @least = min(vtimestamp - self->v); @last = max(vtimestamp); self->v = 0; }
	END { printa("n %@d m %@d v %@d least %@d last %@d\n", @n, @m, @v, @least, @last); }' -c "$TARGETS/hot 1000000 2"
ends 0 "two threads"
like "two threads" "$out" "*n 2000000 m 2000000 v *"
echo "$out" | awk '$1 == "n" && ($8 < 0 || $6 > 2 * $10) { print }' >"$TMP/bad"
[ ! -s "$TMP/bad" ] || fail "two threads: $out"
is "two threads: messages" "$err" ""

# a record of what a predicate lets through has the time that the predicate has seen
d -qn 'fpid$target:a.out:f:entry { self->v = vtimestamp; this->v = vtimestamp; }
	fpid$target:a.out:f:entry /arg0 == 7 && vtimestamp >= this->v/ { printf("%d %d %d\n", arg0, vtimestamp >= self->v, vtimestamp < timestamp); }' \
	-c "$TARGETS/hot 2048" -o "$TMP/records"
ends 0 "records of some"
is "records of some" "$(sort -u "$TMP/records" | sed '/^$/d')" "7 1 1"

# a program that would be killed for the system call that tells the time
cat >"$TMP/filtered.c" <<'C'
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
__attribute__((noinline, noclone, noipa)) void visit(void)
{
	usleep(1);
}
int main(int argc, char **argv)
{
	struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
				     BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 0, 1),
				     BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
				     BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog prog = {4, code};

	if (argc > 1 && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) ||
			 execl("/proc/self/exe", argv[0], NULL)))
		return 1;
	for (int i = 0; i < 100; i++)
		visit();
	return 0;
}
C
gcc -O1 -o "$TMP/filtered" "$TMP/filtered.c" || fail "filtered.c does not compile"
d -n 'fpid$target:a.out:visit:entry { self->v = vtimestamp; } fpid$target:a.out:visit:return { @n = count(); @v = sum(vtimestamp - self->v); } END { printa("n %@d\n", @n); }' \
	-c "$TMP/filtered filter"
ends 0 "a filter"
like "a filter" "$out" "*n 100*"
case $err in
*"vtimestamp is read by a system call, and the program filters its calls"* | *"the process may not map memory"*) ;;
*) fail "a filter: $err" ;;
esac

# a small ring is waited for, as a hit that is missing takes the time of another one away; unless it is to be lost
pairs='fpid$target:a.out:f:entry { self->v = vtimestamp; } fpid$target:a.out:f:return /self->v/ { @n = count(); @v = sum(vtimestamp - self->v); self->v = 0; }
	END { printa("n %@d\n", @n); }'
d -x claim=off -x fpidbuf=64k -qn "$pairs" -c "$TARGETS/hot 50000"
ends 0 "a small ring"
like "a small ring" "$out $err" "*n 50000* "
d -x claim=off -x fpidbuf=64k -x fpidfull=drop -qn "$pairs" -c "$TARGETS/hot 50000"
ends 0 "a small ring, drop"
like "a small ring, drop" "$err" "*hits*were dropped*"
finish
