# Hooks under -x follow: a forked child goes on with its parent's, counted and recorded as its own; the
# programs it runs are hooked anew. Answers are those of breakpoints and of the programs, and nothing is left.
# needs: user
# timeout: 200
. tests/lib/lib.sh
. tests/lib/attach.sh

child=
end_child() {
	[ -z "$child" ] || kill -9 "$child" 2>/dev/null
	end_attach
}
trap end_child EXIT

# Every way to make a child but one: CLONE_VM without vfork is a second thread in its parent's control block,
# which can lose records. All functions of the program and malloc, by both providers.
for prov in pid fpid; do
	d -x follow -n "$prov"'$target:a.out::entry { @["entry", pid == $target, probefunc] = count(); }
		'"$prov"'$target:a.out::return { @["return", pid == $target, probefunc] = count(); @s[pid == $target] = sum(arg1); }
		'"$prov"'$target:libc.so.6:malloc:entry { @u[ustack(3), arg0] = count(); }
		END { printf("\n"); printa("%s %d %s %@d\n", @); printa("%d %@d\n", @s); printa(@u); }' -o "$TMP/agg" -c "$TARGETS/kids 8 waiting"
	ends 0 "$prov"
	is "$prov: output" "$out" "touch 24
bad 0"
	grep -v END "$TMP/agg" | grep . | sort >"$TMP/$prov"
	rm -f "$TMP/agg"
done
like "hooked" "$err" "*fpid: * functions: * hooked, 0 by breakpoint*"
like "children hooked" "$err" "*fpid: programs of children: * hooked, 0 by breakpoint*"
grep -q "^entry 0 touch $((8 * 104))\$" "$TMP/fpid" || fail "theirs: $(grep touch "$TMP/fpid")"
cmp -s "$TMP/pid" "$TMP/fpid" || fail "pid and fpid differ: $(diff "$TMP/pid" "$TMP/fpid" | head)"

# Threads that fork while others call; each child calls on. The truth is in memory they all share.
cat >"$TMP/p.c" <<'C'
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static long *calls;
__attribute__((noinline)) long f(long x)
{
	__atomic_fetch_add(calls, 1, __ATOMIC_RELAXED);
	return x + 1;
}
static void *run(void *arg)
{
	for (long r = 0; r < 20; r++) {
		pid_t pid = fork();
		for (int i = 0; i < 50; i++)
			f(i);
		if (!pid && r % 3 == 0 && !fork()) {
			f(r);
			_exit(0);
		}
		if (!pid) {
			wait(NULL);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	return arg;
}
int main(void)
{
	pthread_t t[4];
	calls = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, run, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	while (wait(NULL) > 0)
		;
	printf("%ld\n", *calls);
	return 0;
}
C
gcc -O1 -pthread -o "$TMP/p" "$TMP/p.c" || skip "no compiler"
for claim in on off; do
	d -x follow -x claim=$claim -x fpidfallback=none -qn 'fpid$target:a.out:f:entry { @ = count(); @s = sum(arg0); @p[pid] = count(); }
		fpid$target:a.out:f:return { @r = sum(arg1); }
		END { printa("%@d %@d %@d\n", @, @s, @r); printa("%d %@d\n", @p); }' -o "$TMP/agg" -c "$TMP/p"
	ends 0 "threads that fork"
	n=$(tail -1 "$TMP/out")
	is "threads that fork, claim=$claim: calls" "$(awk 'NF == 3 { print $1 }' "$TMP/agg")" "$n"
	is "threads that fork, claim=$claim: results" "$(awk 'NF == 3 { print $3 - $2 }' "$TMP/agg")" "$n"
	is "threads that fork, claim=$claim: each process" "$(awk 'NF == 2 { n += $2; procs++ } END { print n, (procs > 80) }' "$TMP/agg")" "$n 1"
	rm -f "$TMP/agg"
done

# A child that lives on is as it was.
need bash
# shellcheck disable=SC2016
busy='echo ready; read -r x; (while :; do kill -0 $$; done) & echo child $!; read -r x; kill $!; wait $!; echo ended $?'
start_ready bash -c "$busy"
trace -x follow -qn 'BEGIN { printf("armed\n"); }
	fpid$target:::entry { @ = count(); }
	fpid$target:libc.so.6:kill:entry /pid != $target && n++ == 2000/ { printf("busy\n"); }' \
	-x switchrate=50hz -p $target
traced
tell go
waits_for "$TMP/said" child "the child"
child=$(awk '/child/ { print $2 }' "$TMP/said")
waits_for "$TMP/out" busy "hits of the child"
end_trace
ends 0 "^C with -p"
for p in $target "$child"; do
	unharmed $p "process $p"
	"$TARGETS/textcheck" $p >"$TMP/text" || fail "process $p: $(head -3 "$TMP/text")"
	! grep -q dtrace "/proc/$p/maps" || fail "process $p: $(grep dtrace "/proc/$p/maps")"
done
tell end
wait $target
is "the child's end" "$(tail -1 "$TMP/said")" "ended 143"
child=
target=
finish
