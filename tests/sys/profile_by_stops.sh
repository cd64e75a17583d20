# Where perf events are forbidden profile-N stops threads, and finds them where they were: not at the system calls that a
# thread comes out of while the interruption is on its way. The closing line tells which way was taken.
# needs: user
. tests/lib/lib.sh
need gcc script env

# 22 microseconds of work for each system call, which takes less than one
cat >"$TMP/calls.c" <<'END'
#include <fcntl.h>
#include <unistd.h>
volatile unsigned long x;
__attribute__((noipa)) void three(int n) { for (int i = 0; i < 3 * n; i++) x = x * 3 + 1; }
__attribute__((noipa)) void one(int n) { for (int i = 0; i < n; i++) x = x * 5 + 1; }
int main(void)
{
	int fd = open("/dev/null", O_WRONLY);

	for (int i = 0; i < 60000; i++) {
		three(10000);
		one(10000);
		if (write(fd, "x", 1) != 1)
			return 1;
	}
}
END
gcc -O2 -fomit-frame-pointer -o "$TMP/calls" "$TMP/calls.c" || fail "no program"

share() { # share FUNCTION: of the samples in $TMP/out, in percent
	awk -v f="$1" '$1 ~ "`" f "$" { n += $2 } $2 ~ /^[0-9]+$/ { all += $2 } END { printf "%d", all ? 100 * n / all : 0 }' "$TMP/out"
}

d2() {
	"$TARGETS/deny" -perf "$DTRACE" "$@" >"$TMP/out" 2>"$TMP/err" </dev/null
	status=$?
	out=$(cat "$TMP/out")
	err=$(cat "$TMP/err")
}
d2 -qn 'profile-997 { @[ufunc(uregs[R_RIP])] = count(); }' -c "$TMP/calls"
[ "$status" = 77 ] && skip "no filters of system calls"
ends 0 "by stops"
all=$(awk '$2 ~ /^[0-9]+$/ { n += $2 } END { print n + 0 }' "$TMP/out")
[ "$all" -gt 100 ] || fail "$all samples: $out"
[ "$(share write)" -le 8 ] || fail "write has $(share write) %: $out"
three=$(share three) one=$(share one)
[ "$three" -ge 60 ] && [ "$three" -le 85 ] && [ "$one" -ge 12 ] && [ "$one" -le 36 ] || fail "three $three %, one $one %: $out"

# several threads, more than there are CPUs: each stands where it is
d2 -qn 'profile-499 { @[ustack(3)] = count(); }' -c "$TMP/calls"
ends 0 "stacks"
like "stacks" "$out" '*calls`three*calls`main*libc*'

cat >"$TMP/run.sh" <<'END'
env --default-signal=INT "$@" -x switchrate=50hz -n 'BEGIN { printf("ready\n"); } profile-97 { @ = count(); } tick-20s { exit(1); }' \
	-c "$TARGETS/burn 30" >"$TMP/started" 2>/dev/tty </dev/null &
pid=$!
tries=0
while [ ! -s "$TMP/started" ] && [ $tries -lt 400 ]; do
	tries=$((tries + 1))
	sleep 0.05
done
kill -INT $pid
wait $pid
END
export TMP DTRACE TARGETS
on_terminal() { # on_terminal COMMAND...: the closing line
	: >"$TMP/started"
	script -qec "sh $TMP/run.sh $*" "$TMP/typescript" </dev/null >/dev/null 2>&1
	tr '\r' '\n' <"$TMP/typescript" | grep -a 's of CPU for tracing'
}
like "the closing line" "$(on_terminal "$TARGETS/deny" -perf "$DTRACE")" "*; samples by stopping threads (perf: Operation not permitted)*"
"$DTRACE" --doctor | grep -q "^perf events  *works" && like "by perf" "$(on_terminal "$DTRACE")" "*; samples by perf*"
finish
