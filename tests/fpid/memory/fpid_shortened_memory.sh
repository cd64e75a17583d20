# A program of another user that keeps the descriptor of the memory for hooks cannot make it shorter: it is sealed. Where pages are
# gone all the same (here nothing is sealed), the hooks of that process end with a sentence, and the run and other processes go on.
# needs: root
. tests/lib/lib.sh
. tests/lib/attach.sh
need gcc

own=$TMP/own
mkdir "$own" && cp "$TARGETS/snatch" "$own" && chmod 755 "$TMP" "$own" "$own/snatch"
setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$own/snatch" || skip "another user cannot come to $own"

# Its threads look for descriptors all the time. Where none of them runs while one is there, they have none: once more.
most=50
for clause in '@ = count();' '@[arg0 & 1] = count();' '@ = max(timestamp);'; do
	rounds=0
	until [ $rounds -gt 0 ] && ! grep -q '^snatched 0$' "$TMP/said" || [ $rounds = $most ] || [ $failed = 1 ]; do
		rounds=$((rounds + 1))
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
		like "$clause" "$(cat "$TMP/said")" "*touch [1-9]*snatched [0-9]*shortened 0"
	done
	like "$clause" "$(cat "$TMP/said")" "*snatched [1-9]*"
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

other=
end_all() {
	end_attach
	[ -z "$other" ] || kill -9 "$other"
}
trap end_all EXIT
"$TARGETS/steady" 100 600000 >"$TMP/other.said" 2>&1 &
other=$!
trace_unsealed() {
	rm -f "$TMP/out" "$TMP/err"
	LD_PRELOAD=$TMP/unsealed.so "$DTRACE" "$@" >"$TMP/out" 2>"$TMP/err" </dev/null 3>&- &
	tracer=$!
}
# made_shorter: it has taken pages away, within five seconds
made_shorter() {
	i=0
	until grep -q shorter "$TMP/said"; do
		i=$((i + 1))
		[ $i -lt 500 ] || return 1
		sleep 0.01
	done
}
rounds=0
while :; do
	rounds=$((rounds + 1))
	start_ready "$TARGETS/snatch" -keep
	trace_unsealed -Zn 'BEGIN { printf("armed\n"); } fpid*:a.out:touch:entry, fpid*:a.out:beat:entry { @[probefunc] = count(); }
		tick-10ms { printf("tick\n"); }' -p "$target" -p "$other"
	traced
	! made_shorter || break
	[ $rounds -lt 10 ] || {
		fail "without seals: no descriptor was kept in $rounds rounds"
		finish
	}
	end_trace
	exec 3>&-
	wait "$target"
done
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
exec 3>&-
wait "$target" # it may have died of what it has taken away
target=
finish
