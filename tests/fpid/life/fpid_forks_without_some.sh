# -x follow and a child that does not have all code of its parent: what is there is hooked in it, with all instructions of
# each function; the engine has the same of it as of its parent.
# needs: user
# timeout: 120
. tests/lib/lib.sh
need gcc

cat >"$TMP/some.c" <<'C'
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
long fn0(long), fn1499(long);
extern char gone[];
long call_gone(long);
int main(void)
{
	int status;
	call_gone(1);
	fn0(1);
	if (madvise(gone, 4096, MADV_DONTFORK))
		return 3;
	for (int i = 0; i < 3; i++) {
		if (!fork()) {
			fn0(1);
			fn1499(1);
			_exit(0);
		}
		if (wait(&status) < 0 || status)
			return 2;
	}
	call_gone(1);
	return 0;
}
C
awk 'BEGIN {
	print ".text\n.p2align 12\n.globl gone\ngone:"
	print ".globl call_gone\n.type call_gone,@function\ncall_gone: push %rbp\n mov %rsp,%rbp\n lea 1(%rdi),%rax\n pop %rbp\n ret"
	print ".size call_gone,.-call_gone\n.p2align 12"
	for (i = 0; i < 1500; i++) {
		f = "fn" i
		printf ".globl %s\n.type %s,@function\n.p2align 4\n%s: push %%rbp\n mov %%rsp,%%rbp\n", f, f, f
		printf " lea 1(%%rdi),%%rax\n lea 2(%%rax),%%rax\n lea 3(%%rax),%%rax\n pop %%rbp\n ret\n.size %s,.-%s\n", f, f
	}
	print ".section .note.GNU-stack,\"\",@progbits"
}' >"$TMP/fn.s"
gcc -O1 -o "$TMP/some" "$TMP/some.c" "$TMP/fn.s" || fail "some.c does not compile"

every='fpid$target:a.out:fn*:,fpid$target:a.out:call_gone:'

# says WHAT: each instruction has as many hits as its function has calls
says() {
	ends 0 "$1"
	is "$1" "$(echo "$out" | awk 'NF == 3 { print $1, $3 }' | sort | uniq -c | awk '{ print $2, $3, $1 }' | paste -sd' ' -)" \
		"call_gone 2 7 fn0 4 9 fn1499 3 9"
	case $err in *"could not"* | *"not hooked"* | *malloc* | *"ended by"*) fail "$1: $err" ;; esac
}
d -x follow -Zqn "$every { @[probefunc, probename] = count(); }" -c "$TMP/some"
says "counts"
d -x follow -x claim=off -Zqn "$every { @[probefunc, probename] = sum(arg0 * 0 + 1); }" -c "$TMP/some"
says "records"
finish
