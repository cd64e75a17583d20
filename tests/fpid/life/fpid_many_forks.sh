# -x follow and many children of a program with many hooked functions: all are hooked in each child, whatever the
# others have; what a child loads itself, too.
# needs: user
# timeout: 180
. tests/lib/lib.sh
need gcc

cat >"$TMP/forks.c" <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
long fn0(long), fn5(long), fn66999(long);
int main(int argc, char **argv)
{
	int n = atoi(argv[1]), hold[2];
	char c;
	if (pipe(hold))
		return 1;
	fn0(1);
	for (int i = 0; i < n; i++)
		if (!fork()) {
			void *lib = dlopen(argv[2], RTLD_NOW);
			long (*late)(long) = lib ? (long (*)(long))dlsym(lib, "late7") : NULL;
			for (int k = 0; k < 100; k++)
				fn5(1);
			fn66999(1);
			if (late)
				late(1);
			close(hold[1]); /* all are there at the same time */
			_exit(read(hold[0], &c, 1) != 0 || !late);
		}
	close(hold[1]);
	for (int status; wait(&status) > 0;)
		if (status)
			return 2;
	return 0;
}
C
functions() { # functions NAME COUNT: assembler text of so many small ones
	awk -v name="$1" -v n="$2" 'BEGIN {
		print ".text"
		for (i = 0; i < n; i++) {
			f = name i
			printf ".globl %s\n.type %s,@function\n.p2align 4\n%s: push %%rbp\n mov %%rsp,%%rbp\n", f, f, f
			printf " lea 1(%%rdi),%%rax\n pop %%rbp\n ret\n.size %s,.-%s\n", f, f
		}
		print ".section .note.GNU-stack,\"\",@progbits"
	}'
}
functions fn 67000 >"$TMP/fn.s"
functions late 100 >"$TMP/late.s"
gcc -shared -o "$TMP/late.so" "$TMP/late.s" || fail "late.so does not link"
gcc -O1 -o "$TMP/forks" "$TMP/forks.c" "$TMP/fn.s" -ldl || fail "forks.c does not compile"

d -x follow -x fpidfallback=none -qn 'fpid$target:a.out:fn*:entry,fpid$target:late.so:late*:entry { @[probefunc] = count(); }' \
	-Z -c "$TMP/forks 40 $TMP/late.so"
ends 0 "forty children"
is "forty children" "$(echo $out)" "fn0 1 fn66999 40 late7 40 fn5 4000"
case $err in *breakpoint* | *"not hooked"* | *"could not"*) fail "forty children: $err" ;; esac

# by breakpoints, too, all of a process's are its own
d -x follow -qn 'pid$target:a.out:fn*:entry { @[probefunc] = count(); }' -c "$TMP/forks 20 $TMP/late.so"
ends 0 "breakpoints of twenty children"
is "breakpoints of twenty children" "$(echo $out)" "fn0 1 fn66999 20 fn5 2000"
finish
