# A program of another user that keeps the descriptor of the memory for hooks cannot make it shorter: it is sealed. Where pages are
# gone all the same (here nothing is sealed), the hooks of that process end with a sentence, and the run and other processes go on.
# needs: root
. tests/lib/lib.sh
. tests/lib/attach.sh
need gcc

own=$TMP/own
mkdir "$own" && cp "$TARGETS/snatch" "$own" && chmod 755 "$TMP" "$own" "$own/snatch"
setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$own/snatch" || skip "another user cannot come to $own"

for clause in '@ = count();' '@[arg0 & 1] = count();' '@ = max(timestamp);'; do
	start_ready setpriv --reuid 65534 --regid 65534 --clear-groups "$own/snatch" -keep
	trace -n 'BEGIN { printf("armed\n"); } fpid$target:a.out:touch:entry { '"$clause"' }' -p "$target"
	traced
	end_trace
	ends 0 "$clause"
	like "$clause" "$err" "*fpid: 1 function: 1 hooked*"
	case $err in *"is gone"* | *terminated*) fail "$clause: $err" ;; esac
	tell
	exec 3>&-
	target_ends "$clause"
	like "$clause" "$(cat "$TMP/said")" "*touch [1-9]*snatched [1-9]*shortened 0"
done

cat >"$TMP/unsealed.c" <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>
static int without_seals(int fd, int cmd, long arg)
{
	return cmd == F_ADD_SEALS ? 0 : (int)syscall(SYS_fcntl, fd, cmd, arg);
}
#define FORWARD(name) \
	int name(int fd, int cmd, ...) \
	{ \
		va_list ap; \
		long arg; \
		va_start(ap, cmd); \
		arg = va_arg(ap, long); \
		va_end(ap); \
		return without_seals(fd, cmd, arg); \
	}
#undef fcntl
#undef fcntl64
FORWARD(fcntl)
FORWARD(fcntl64)
C
gcc -shared -fPIC -o "$TMP/unsealed.so" "$TMP/unsealed.c" || fail "unsealed.c does not compile"
[ -z "${SAN-}" ] || finish # its own library has to come first

start_ready "$TARGETS/snatch" -keep
trace_unsealed() {
	LD_PRELOAD=$TMP/unsealed.so "$DTRACE" "$@" >"$TMP/out" 2>"$TMP/err" </dev/null 3>&- &
	tracer=$!
}
"$TARGETS/steady" 100 6000 >"$TMP/other.said" 2>&1 &
other=$!
rm -f "$TMP/out" "$TMP/err"
trace_unsealed -Zn 'BEGIN { printf("armed\n"); } fpid*:a.out:touch:entry, fpid*:a.out:beat:entry { @[probefunc] = count(); }
	tick-10ms { printf("tick\n"); }' -p "$target" -p "$other"
traced
waits_for "$TMP/err" "process $target shares with dtrace is gone" "a sentence"
ticks=$(grep -c tick "$TMP/out")
i=0
until [ "$(grep -c tick "$TMP/out")" -gt $((ticks + 20)) ] || [ $i = 1000 ]; do
	i=$((i + 1))
	sleep 0.01
done
end_trace
ends 0 "without seals"
case $err in *"ended by SIG"*) fail "without seals: $err" ;; esac
like "without seals: the other process" "$(grep beat "$TMP/out")" "*beat *[1-9]*"
kill -9 $other
exec 3>&-
wait "$target" # it may have died of what it has taken away
target=
finish
