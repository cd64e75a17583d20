# Functions of the kernel's own library, which libc's indirect functions gettimeofday() and time() choose: hooks like
# others, in children and behind an exec, too; as often as pid says, and nothing is left behind.
# needs: user
# timeout: 120
. tests/lib/lib.sh

need cc

cat >"$TMP/clock.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static void ask(long n)
{
	struct timeval t;
	for (long i = 0; i < n; i++) {
		gettimeofday(&t, NULL);
		if (t.tv_sec < 1000000000 || time(NULL) - t.tv_sec > 5)
			puts("a wrong time");
	}
}
int main(int argc, char **argv)
{
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);
	static char copy[4096];
	int c;

	memcpy(copy, image, sizeof(copy));
	ask(atol(argv[1]));
	for (int i = 0; i < 3; i++)
		if (!fork()) {
			ask(atol(argv[1]));
			if (i == 2 && argc == 2)
				execl(argv[0], argv[0], "7", "again", (char *)NULL);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	if (argc == 2 || strcmp(argv[2], "attach") != 0)
		return 0;
	puts("ready");
	fflush(stdout);
	while ((c = getchar()) != EOF && c != 'q')
		ask(100), puts("asked"), fflush(stdout);
	return c == 'q' ? puts(memcmp(copy, image, sizeof(copy)) ? "changed" : "as before") < 0 : 0;
}
C
cc -O1 -o "$TMP/clock" "$TMP/clock.c" || fail cc

# the symbol is a resolver in glibc; elsewhere there is nothing to be seen here
d -ln 'pid$target:libc.so.6:gettimeofday:entry' -c "$TMP/clock 1"
[ "$status" = 0 ] || skip "libc has no such function"

for provider in fpid pid; do
	d -x follow -x explain -qn "$provider"'$target:libc.so.6:gettimeofday:entry,'"$provider"'$target:libc.so.6:gettimeofday:return,'"$provider"'$target:libc.so.6:time:entry,'"$provider"'$target:libc.so.6:time:return { @[probefunc, probename] = count(); }' \
		-o "$TMP/$provider" -c "$TMP/clock 300"
	ends 0 "$provider"
	is "$provider: the program" "$out" ""
	# itself, three children, and the last one again as a new program with three
	is "$provider" "$(sort "$TMP/$provider" | awk 'NF { print $1, $2, $3 }')" "gettimeofday entry 1228
gettimeofday return 1228
time entry 1228
time return 1228"
	[ $provider = pid ] || like "no breakpoints" "$err" "*hits: 4912 counted in the target, 0 recorded, 0 by breakpoints*"
done

# in a running program, which has its library back behind it
mkfifo "$TMP/in" "$TMP/said"
"$TMP/clock" 1 attach <"$TMP/in" >"$TMP/said" &
pid=$!
exec 8>"$TMP/in" 9<"$TMP/said"
read -r word <&9
is "it runs" "$word" ready
d -qn 'BEGIN { system("printf g >'"$TMP/in"'"); } fpid$target:libc.so.6:gettimeofday:return { @ = count(); n++; } tick-10ms /n == 100/ { exit(0); } tick-20s { exit(1); }' -w -p $pid
ends 0 "attached"
is "attached" "$(echo $out)" 100
read -r word <&9
printf q >&8
word=$(sed -n '$p' <&9)
wait $pid
is "behind it" "$word" "as before"
finish
