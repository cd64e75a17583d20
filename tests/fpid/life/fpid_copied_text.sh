# A program that others have run before it under -x follow maps copies of its files' text with the hooks in them: under
# the same paths, with the same bytes else, counts and behaviour; it has the files themselves again when it is let go. An
# ordinary user has them by a user namespace; where that is forbidden, or with -x fpidcopy=off, its own text is written to.
# needs: user
# timeout: 120
. tests/lib/lib.sh
. tests/lib/attach.sh

RUNS=6
{
	echo '#define F __attribute__((noinline, noclone))'
	echo 'extern long *calls;'
	for i in $(seq 0 399); do
		echo "F long f$i(long x) { ++*calls; for (long k = 0; k < x % 7; k++) x = x * $((i + 3)) + (k ^ x >> 3); return x + $i; }"
	done
	echo 'long (*const all[])(long) = {'
	for i in $(seq 0 399); do echo "f$i,"; done
	echo '};'
} >"$TMP/f.c"
sed 's/f\([0-9]\)/g\1/g; s/\*const all/*const library/' "$TMP/f.c" >"$TMP/g.c"
cat >"$TMP/p.cc" <<'C'
#include <execinfo.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>
extern "C" {
extern long (*const all[])(long), (*const library[])(long);
long counted, *calls = &counted;
}
/* Is the text that this address lies in mapped from the file that its path leads to? */
static int is_of_its_file(void *at)
{
	char line[512], path[256] = "";
	unsigned long a, b, ino = 0;
	unsigned major, minor;
	struct stat st;
	FILE *f = fopen("/proc/self/maps", "r");
	int same = -1;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx r-xp %*s %x:%x %lu %255s", &a, &b, &major, &minor, &ino, path) == 6 &&
		    (unsigned long)at >= a && (unsigned long)at < b)
			same = stat(path, &st) == 0 ? st.st_ino == ino && minor == minor(st.st_dev) : -2;
	fclose(f);
	return same;
}
__attribute__((noinline)) static void throws(long n)
{
	if (all[7](n) != 12345)
		throw (int)n;
}
static sigjmp_buf env;
static void on_fault(int) { siglongjmp(env, 1); }
extern "C" __attribute__((noinline)) void stop(void) { asm volatile(""); }
int main(int argc, char **argv)
{
	void *frames[8];
	long sum = 0;
	for (int i = 0; i < 400; i++)
		sum += all[i](i) + library[i](i);
	for (int i = 0; i < 5; i++)
		try {
			throws(i);
		} catch (int n) {
			sum += n;
		}
	signal(SIGSEGV, on_fault);
	if (!sigsetjmp(env, 1))
		*(volatile int *)0 = 1;
	if (!fork()) {
		for (int i = 0; i < 400; i++)
			sum += all[i](i);
		_exit(0);
	}
	wait(NULL);
	printf("%ld %ld %s\n", sum, counted, backtrace(frames, 8) > 1 ? "frames" : "none");
	if (argc > 1) {
		FILE *f = fopen(argv[1], "a");
		fprintf(f, "%d %d\n", is_of_its_file((void *)all[0]), is_of_its_file((void *)library[0]));
		fclose(f);
	}
	if (argc > 3) {
		FILE *f = fopen(argv[2], "w");
		fprintf(f, "%d\n", getpid());
		fclose(f);
		while (access(argv[3], F_OK) < 0)
			for (int i = 0; i < 400; i++)
				sum += all[i](i) + library[i](i);
		printf("held on\n");
	} else if (argc > 2) {
		fflush(stdout);
		stop();
		for (int i = 0; i < 5000 && !(is_of_its_file((void *)all[0]) == 1 && is_of_its_file((void *)library[0]) == 1); i++)
			usleep(1000);
		printf("files %s\n", is_of_its_file((void *)all[0]) == 1 && is_of_its_file((void *)library[0]) == 1 ? "again" : "still copies");
	}
	return 0;
}
C
gcc -c -O2 -fno-ipa-icf -falign-functions=256 -o "$TMP/f.o" "$TMP/f.c" && gcc -shared -fPIC -O2 -fno-ipa-icf -falign-functions=256 -o "$TMP/g.so" "$TMP/g.c" &&
	g++ -O1 -o "$TMP/p" "$TMP/p.cc" "$TMP/f.o" "$TMP/g.so" || skip "no compiler"
calls=$("$TMP/p" | cut -d' ' -f2)

# runs WHAT WITH-COPIES COMMAND...: the program's output and counts are its own; with copies, or without
runs() {
	what=$1 copies=$2
	shift 2
	rm -f "$TMP/maps" "$TMP/agg"
	: >"$TMP/maps"
	chmod 666 "$TMP/maps"
	"$@" -x follow -Zqn 'fpid$target:p:f*:entry,fpid$target:g.so:g*:entry { @[probemod, probefunc] = count(); }
		END { printa("%s %s %@d\n", @); }' -o "$TMP/agg" \
		-c "sh -c 'i=0; while [ \$i -lt $RUNS ]; do $TMP/p $TMP/maps; i=\$((i + 1)); done'" >"$TMP/out" 2>"$TMP/err" </dev/null
	is "$what: status" $? 0
	is "$what: output" "$(sort -u "$TMP/out")" "$("$TMP/p")"
	is "$what: calls" "$(awk 'NF == 3 && $2 ~ /^[fg][0-9]/ { n += $3 } END { print n }' "$TMP/agg")" $((RUNS * (calls + 400)))
	case $copies in
	yes) is "$what: its files" "$(sed 1d "$TMP/maps" | sort -u)" "0 0" ;;
	no) is "$what: its files" "$(sort -u "$TMP/maps")" "1 1" ;;
	esac
	[ "$failed" = 0 ] || cat "$TMP/err"
}

may=yes
[ "$(id -u)" = 0 ] || unshare -Urm mount -t tmpfs none /tmp 2>/dev/null || may=no
runs "copies" $may "$DTRACE"
runs "no copies" no "$DTRACE" -x fpidcopy=off
if unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_user_namespaces' 2>/dev/null; then
	runs "no namespace" no unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_user_namespaces; exec "$@"' - "$DTRACE"
fi

# exit() while one of them runs: it goes on with its own files.
echo "$TMP/p $TMP/maps; $TMP/p $TMP/maps stop >$TMP/last; echo done >>$TMP/last" >"$TMP/two.sh"
d -x follow -Zqn 'fpid$target:p:f*:entry,fpid$target:g.so:g*:entry { @ = count(); } pid$target:p:stop:entry { exit(0); }' \
	-o "$TMP/agg" -c "sh -c 'sh $TMP/two.sh & wait'"
ends 0 exit
tries=0
until grep -q done "$TMP/last" 2>/dev/null || [ $tries = 200 ]; do
	tries=$((tries + 1))
	sleep 0.05
done
like "what was let go" "$(cat "$TMP/last")" "*files again*"

# The engine is killed: the watchdog puts the program's bytes back, and it goes on.
eventually() { # eventually WHAT COMMAND...
	what=$1 tries=0
	shift
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt 400 ] || {
			fail "$what"
			return
		}
		sleep 0.05
	done
}
is_untouched() {
	grep -q '^TracerPid:	0$' "/proc/$pid/status" && ! "$TARGETS/textcheck" "$pid" | grep -q 'in memory'
}
rm -f "$TMP/pid" "$TMP/go"
: >"$TMP/maps"
echo "$TMP/p; $TMP/p $TMP/maps $TMP/pid $TMP/go >$TMP/last; echo done >>$TMP/last" >"$TMP/two.sh"
"$DTRACE" -x follow -Zqn 'fpid$target:p:f*:entry,fpid$target:g.so:g*:entry { @ = count(); }' \
	-o "$TMP/agg" -c "sh -c 'sh $TMP/two.sh & wait'" >"$TMP/out" 2>"$TMP/err" </dev/null &
front=$!
eventually "it begins" test -s "$TMP/pid"
pid=$(cat "$TMP/pid")
is "of copies" "$(cat "$TMP/maps")" "$([ $may = yes ] && echo 0 0 || echo 1 1)"
kill -9 "$(engine_of $front)"
wait $front
eventually "its bytes are its own" is_untouched
: >"$TMP/go"
eventually "it ends" grep -q done "$TMP/last"
like "what was left behind" "$(cat "$TMP/last")" "*held on*"
finish
