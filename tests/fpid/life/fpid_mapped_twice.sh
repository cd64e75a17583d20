# A part of a program's file that is mapped a second time, as node does with its builtins: what is
# called there is counted, and nothing is said of what is not there.
# needs: user
. tests/lib/lib.sh
need cc

cat >"$TMP/twice.c" <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>
__asm__(".text\n.balign 4096\n"
	".globl inner\n.type inner, @function\ninner: lea 1(%rdi), %rax\n	add %rdi, %rax\n	ret\n.size inner, . - inner\n"
	".balign 16\n"
	".globl second\n.type second, @function\nsecond: lea 2(%rdi), %rax\n	add %rdi, %rax\n	ret\n.size second, . - second\n"
	".balign 4096\n");
long inner(long), second(long), outer(long);
extern char __executable_start;
__attribute__((noipa)) long outer(long n) { return n * 3 + 1; }
int main(void)
{
	uintptr_t off = (uintptr_t)inner - (uintptr_t)&__executable_start;
	int fd = open("/proc/self/exe", O_RDONLY);
	char *copy = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, (off_t)off);
	long (*there)(long) = (long (*)(long))copy, sum = 0;
	long (*also)(long) = (long (*)(long))(copy + ((char *)second - (char *)inner));

	close(fd);
	printf("go\n");
	fflush(stdout);
	getchar();
	for (long i = 0; i < 100; i++)
		sum += inner(i) + outer(i) + there(i) + there(i + 1) + also(i);
	printf("%ld\n", sum);
	return 0;
}
END
cc -O1 -Wl,-z,noseparate-code -o "$TMP/twice" "$TMP/twice.c" || fail "cc"
echo | "$TMP/twice" >"$TMP/want"
for prov in fpid pid; do
	for module in twice ''; do
		mkfifo "$TMP/in" "$TMP/said"
		"$TMP/twice" <"$TMP/in" >"$TMP/said" &
		pid=$!
		exec 8>"$TMP/in" 9<"$TMP/said"
		read -r said <&9
		is "it runs" "$said" go
		"$DTRACE" -n "$prov$pid:$module:inner:entry,$prov$pid:$module:outer:entry,$prov$pid:$module:sec*:entry { @[probefunc] = count(); }
			BEGIN { printf(\"ready\\n\"); }" -o "$TMP/agg" -p $pid >"$TMP/out" 2>"$TMP/err" &
		front=$!
		until_said "$TMP/agg" ready $front || fail "$prov: $(cat "$TMP/err")"
		echo >&8
		read -r said <&9
		exec 8>&- 9<&-
		wait $front || fail "$prov: status $?"
		wait $pid
		is "$prov $module: sum" "$said" "$(tail -1 "$TMP/want")"
		is "$prov $module: counts" "$(counts "$TMP/agg")" "inner 300
outer 100
second 100"
		case $(cat "$TMP/err") in *"left out"* | *"by breakpoint; "* | *[1-9]" by breakpoint"*) fail "$prov $module: $(cat "$TMP/err")" ;; esac
		rm -f "$TMP/agg" "$TMP/in" "$TMP/said"
	done
done
exit $failed
