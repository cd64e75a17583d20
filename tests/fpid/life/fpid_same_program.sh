# Programs that are executed again and again under -x follow have the hooks of those before them, moved to where they
# are: counts are the programs' own, also of their children, threads and libraries, wherever what they map lies; a fault
# in moved code is where the program has it; and what is let go has its own code.
# needs: user
# timeout: 120
. tests/lib/lib.sh

RUNS=9
cat >"$TMP/gen.sh" <<'E2'
echo '#define F __attribute__((noinline, noclone))'
echo 'extern long *calls; void count(void); typedef long fn(long); extern fn *volatile ends;'
for i in $(seq 0 59); do
	# some begin with a call, by a name or through a pointer: what comes back has an address of the program's
	case $((i % 4)) in
	0) echo "F long f$i(long x) { count(); return x + $i; }" ;;
	1) echo "F long f$i(long x) { count(); return ends(x) + $i; }" ;;
	2) echo "F long f$i(long x) { long r = 0; count(); while (x--) r += x ^ $i; return r; }" ;;
	3) echo "F long f$i(long x) { asm volatile(\"\"); return x ? f$i(x - 1) + (count(), 1) : (count(), 0); }" ;;
	esac
done
echo 'fn *const all[] = {'
for i in $(seq 0 59); do echo "f$i,"; done
echo '};'
E2
sh "$TMP/gen.sh" >"$TMP/f.c"
cat >"$TMP/p.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
typedef long fn(long);
extern fn *const all[];
long *calls;
static sigjmp_buf env;
static unsigned long pc;
void count(void) { __atomic_fetch_add(calls, 1, __ATOMIC_RELAXED); }
__attribute__((noinline)) static long add(long x) { return x + 1; }
fn *volatile ends = add;
__attribute__((noinline)) int load(const int *p) { return *(const volatile int *)p; }
static void on_fault(int sig, siginfo_t *si, void *uc)
{
	(void)sig, (void)si;
	pc = (unsigned long)((ucontext_t *)uc)->uc_mcontext.gregs[REG_RIP];
	siglongjmp(env, 1);
}
static void *run(void *arg)
{
	for (int i = 0; i < 60; i++)
		all[i](i % 5);
	return arg;
}
/* Is the code of this program that of its file? */
static int see(struct dl_phdr_info *info, size_t size, void *arg)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		char *file;
		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X))
			continue;
		file = malloc(ph->p_filesz);
		if (pread(fd, file, ph->p_filesz, ph->p_offset) == (ssize_t)ph->p_filesz)
			*(int *)arg = !memcmp(file, (char *)info->dlpi_addr + ph->p_vaddr, ph->p_filesz);
		free(file);
	}
	close(fd);
	return 1; /* the program comes first */
}
__attribute__((noinline)) void stop(void) { asm volatile(""); }
static void wait_for_code(void)
{
	int same = 0;
	for (int i = 0; i < 5000 && !same; i++) {
		usleep(1000);
		dl_iterate_phdr(see, &same);
	}
	printf("code %s\n", same ? "its own" : "changed");
}
int main(int argc, char **argv)
{
	struct sigaction sa = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	pthread_t t;
	void *lib;
	calls = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	sigaction(SIGSEGV, &sa, NULL);
	run(NULL);
	pthread_create(&t, NULL, run, NULL);
	pthread_join(t, NULL);
	if (!fork()) {
		run(NULL);
		if (!fork())
			run(NULL), _exit(0);
		wait(NULL);
		_exit(0);
	}
	wait(NULL);
	for (int times = 0; times < 2 && (lib = dlopen(argv[1], RTLD_NOW)); times++) {
		for (int i = 0; i < 40; i++) {
			char name[16];
			snprintf(name, sizeof(name), "g%d", i);
			((fn *)dlsym(lib, name))(3);
		}
		dlclose(lib);
	}
	run(NULL);
	if (!sigsetjmp(env, 1))
		load(NULL);
	printf("calls %ld fault %s\n", *calls,
	       pc >= (unsigned long)load && pc < (unsigned long)load + 8 ? "in place" : "elsewhere");
	if (argc > 2) {
		fflush(stdout);
		stop();
		wait_for_code();
	}
	return 0;
}
C
gcc -O2 -fno-optimize-sibling-calls -fcf-protection=none -pthread -rdynamic -o "$TMP/p" "$TMP/p.c" "$TMP/f.c" -ldl ||
	skip "no compiler"
for i in $(seq 0 39); do echo "long g$i(long x) { return x * 3 + $i; }"; done >"$TMP/g.c"
gcc -O1 -shared -fPIC -o "$TMP/g.so" "$TMP/g.c"
: >"$TMP/before.c"
gcc -O1 -shared -fPIC -o "$TMP/before.so" "$TMP/before.c"
{
	echo 'i=0; while [ $i -lt '$RUNS' ]; do'
	echo "case \$((i % 3)) in 2) LD_PRELOAD=$TMP/before.so $TMP/p $TMP/g.so ;; *) $TMP/p $TMP/g.so ;; esac"
	echo 'i=$((i + 1)); done'
} >"$TMP/loop.sh"
sh "$TMP/loop.sh" >"$TMP/untraced"
calls=$(awk '{ n += $2 } END { print n }' "$TMP/untraced")

for probes in 'fpid$target:p:f*:entry,fpid$target:g.so:g*:entry' 'fpid$target:p:f*:entry,fpid$target:p:f*:return,fpid$target:p:load:' 'fpid$target:::entry'; do
	d -x follow -Zqn "$probes { @[probemod == \"p\" && probefunc[0] == 'f' && probefunc != \"frame_dummy\", probename] = count();
			@g[probemod == \"g.so\" && probefunc[0] == 'g'] = count(); }
		END { printa(\"%d %s %@d\n\", @); printa(\"library %d %@d\n\", @g); }" -o "$TMP/agg" -c "sh $TMP/loop.sh"
	ends 0 "$probes"
	is "$probes: output" "$out" "$(cat "$TMP/untraced")"
	is "$probes: entries" "$(awk '$1 == 1 && $2 == "entry" { print $3 }' "$TMP/agg")" "$calls"
	case $probes in
	*return*) ;;
	*) is "$probes: library" "$(awk '$1 == "library" && $2 == 1 { print $3 }' "$TMP/agg")" $((RUNS * 2 * 40)) ;;
	esac
	case $probes in
	*return*) is "$probes: returns" "$(awk '$1 == 1 && $2 == "return" { print $3 }' "$TMP/agg")" "$calls" ;;
	esac
	rm -f "$TMP/agg"
done

# The libraries of a program that loads more than the one before it are hooked as in that one, entries and returns,
# though two descriptions find them one after the other.
cat >"$TMP/lm.c" <<'C'
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	(void)argv;
	for (int i = 0; i < 100; i++)
		lrand48();
	printf("%g\n", floor(argc + 0.5));
	return 0;
}
C
gcc -O1 -fno-builtin -o "$TMP/lm" "$TMP/lm.c" -lm
cat >"$TMP/runs.c" <<'C'
#include <spawn.h>
#include <sys/wait.h>
int main(int argc, char **argv)
{
	int status;
	pid_t pid;
	(void)argc;
	posix_spawn(&pid, argv[1], NULL, NULL, argv + 1, NULL);
	waitpid(pid, &status, 0);
	return status;
}
C
gcc -O1 -o "$TMP/runs" "$TMP/runs.c"
d -x follow -x fpidfallback=none -Zqn 'fpid$target:::entry,fpid$target:::return { @[probefunc, probename] = count(); }' \
	-o "$TMP/agg" -c "$TMP/runs $TMP/runs $TMP/lm"
ends 0 "more libraries"
is "more libraries: output" "$out" 1
is "more libraries" "$(awk '$1 == "lrand48" { print $2, $3 }' "$TMP/agg" | sort)" "entry 100
return 100"
rm -f "$TMP/agg"

# One file by two names, and by both providers: each has its own probes.
ln "$TMP/p" "$TMP/q"
echo "$TMP/p $TMP/g.so; $TMP/q $TMP/g.so; $TMP/p $TMP/g.so; $TMP/q $TMP/g.so" >"$TMP/names.sh"
d -x follow -Zqn 'fpid$target::f[0-9]*:entry, pid$target::f[0-9]*:entry { @[probeprov, probemod] = count(); }
	END { printa("%.3s %s %@d\n", @); }' -o "$TMP/agg" -c "sh $TMP/names.sh"
ends 0 names
is "names" "$(grep '[a-z]' "$TMP/agg" | sort)" "$(for prov in fpi pid; do for name in p q; do
	echo "$prov $name $((calls / RUNS * 2))"
done; done)"
rm -f "$TMP/agg"

# What an indirect function chooses is looked at in each process, and counts are those of the moment, too: the last one goes
# on when what it has called has been seen.
cat >"$TMP/i.c" <<'C'
#include <stdio.h>
#include <unistd.h>
typedef long fn(long);
extern fn *const all[];
long *calls, n;
void count(void) { n++; }
fn *volatile ends;
__attribute__((noinline)) static long add(long x) { return x + 1; }
__attribute__((noinline)) static long pick_a(long x) { asm volatile(""); return x + 3; }
__attribute__((noinline)) static long pick_b(long x) { asm volatile(""); return x + 5; }
static fn *resolve(void)
{
	long r; /* access(): nothing is relocated yet */
	asm volatile("syscall" : "=a"(r) : "0"(21L), "D"("flag"), "S"(0L) : "rcx", "r11", "memory");
	return r ? pick_b : pick_a;
}
long pick(long) __attribute__((ifunc("resolve")));
int main(void)
{
	ends = add;
	for (int i = 0; i < 60; i++)
		all[i](1);
	printf("%ld\n", pick(1) + pick(2));
	fflush(stdout);
	while (access("wait", F_OK) == 0)
		usleep(1000);
	pick(3);
	return 0;
}
C
gcc -O2 -fno-optimize-sibling-calls -fcf-protection=none -o "$TMP/i" "$TMP/i.c" "$TMP/f.c"
echo "cd $TMP; ./i; ./i; : >flag; ./i; ./i; rm flag; ./i; : >wait; ./i" >"$TMP/picks.sh"
d -x follow -Zqn 'fpid$target:i:[fp]*[0-9kab]:entry { @[probefunc] = count(); }
	tick-50ms { printa("%s %@d\n", @); } END { printa("END %s %@d\n", @); }' -o "$TMP/agg" \
	-c "sh -c 'sh $TMP/picks.sh & n=0; until grep -q \"^pick 17\" $TMP/agg || [ \$n = 400 ]; do
		n=\$((n + 1)); sleep 0.05; done; rm $TMP/wait; wait'"
ends 0 picks
is "picks" "$(sed -n 's/^END pick/pick/p' "$TMP/agg" | sort)" "pick 18"
is "functions beside" "$(awk '$2 ~ /^f[0-9]/ { n += $3 } END { print n }' "$TMP/agg")" $((6 * (60 + 15)))
is "picks: output" "$(echo $out)" "13 13 9 9 13 13"
rm -f "$TMP/agg"

# What is made for a program of which others have run takes no more room than the trampolines: the first one does not
# know yet how much that is.
echo "for i in 1 2 3; do $TMP/m; done" >"$TMP/maps.sh"
cat >"$TMP/m.c" <<'C'
#include <stdio.h>
int main(void)
{
	char line[512];
	unsigned long a, b, n = 0;
	FILE *f = fopen("/proc/self/maps", "r");
	while (fgets(line, sizeof(line), f)) {
		int at = 0;
		if (sscanf(line, "%lx-%lx r-xp %*s 00:00 0 %n", &a, &b, &at) == 2 && at && !line[at])
			n += b - a;
	}
	printf("%lu\n", n);
	return 0;
}
C
{
	cat "$TMP/f.c"
	echo 'long *calls; void count(void) { } fn *volatile ends;'
} >"$TMP/mf.c"
gcc -O1 -o "$TMP/m" "$TMP/m.c" "$TMP/mf.c"
d -x follow -Zqn 'fpid$target:m:f*:entry { @ = count(); }' -o "$TMP/agg" -c "sh $TMP/maps.sh"
ends 0 maps
# shellcheck disable=SC2086
set -- $out
if [ $# = 3 ]; then
	[ "$2" -lt "$1" ] || fail "the second program was hooked like the first: $out"
	is "the third" "$3" "$2"
else
	fail "no sizes: $out"
fi

# Functions with many returns take several areas of memory.
cat >"$TMP/h.c" <<'C'
#define H(i) asm(".globl h" #i "\n.type h" #i ",@function\nh" #i ": mov %rdi,%rax\n.set k,0\n.rept 60\ncmp $k,%rdi\njne 1f\n" \
	"add $" #i ",%rax\nadd $k,%rax\nret\n1: .set k,k+1\n.endr\nadd $7,%rax\nnop\nret\n.size h" #i ",.-h" #i); long h##i(long);
C
{
	for i in $(seq 0 299); do echo "H($i)"; done
	echo 'long (*const h[])(long) = {'
	for i in $(seq 0 299); do echo "h$i,"; done
	echo '};'
} >>"$TMP/h.c"
gcc -O1 -shared -fPIC -o "$TMP/h.so" "$TMP/h.c"
cat >"$TMP/hm.c" <<'C'
#include <stdio.h>
extern long (*const h[])(long);
__attribute__((noinline)) long all(void)
{
	long s = 0;
	for (int i = 0; i < 300; i++)
		s += h[i](i % 70);
	return s;
}
int main(void)
{
	printf("%ld\n", all());
	return 0;
}
C
gcc -O1 -o "$TMP/hm" "$TMP/hm.c" "$TMP/h.so"
echo "for i in 1 2 3; do $TMP/hm; done" >"$TMP/hm.sh"
d -x follow -Zqn 'fpid$target:hm:all:entry,fpid$target:h.so:h*:entry,fpid$target:h.so:h*:return { @[probename] = count(); }' -o "$TMP/agg" \
	-c "sh $TMP/hm.sh"
ends 0 "many returns"
is "many returns: output" "$out" "$(sh "$TMP/hm.sh")"
is "many returns: counts" "$(awk 'NF == 2 { print $1, $2 }' "$TMP/agg" | sort)" "entry 903
return 900"
rm -f "$TMP/agg"

# exit() while one of them runs that has them from another: it goes on alone.
echo "$TMP/p $TMP/g.so; $TMP/p $TMP/g.so stop >$TMP/last; echo done >>$TMP/last" >"$TMP/two.sh"
d -x follow -Zqn 'fpid$target:p:f*:entry { @ = count(); } pid$target:p:stop:entry { exit(0); }' -o "$TMP/agg" \
	-c "sh -c 'sh $TMP/two.sh & wait'"
ends 0 exit
tries=0
until grep -q done "$TMP/last" 2>/dev/null || [ $tries = 200 ]; do
	tries=$((tries + 1))
	sleep 0.05
done
like "what was let go" "$(cat "$TMP/last")" "calls * fault in place
code its own*"
finish
