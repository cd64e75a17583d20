# What cannot be traced is named with the reason: no process, not a number, a thread, a zombie, a thread
# of the kernel, dtrace itself, a process that strace has.
# needs: user
. tests/lib/lib.sh
. tests/lib/attach.sh

refused() { # refused PID MESSAGE
	d -qn 'BEGIN { exit(0); }' -p "$1"
	ends 1 "-p $1"
	like "-p $1" "$err" "dtrace: $2"
}

refused 999999999 'failed to grab pid 999999999: No such process'
refused 99999999999999999999 'failed to grab pid 99999999999999999999: No such process'
refused 0 'failed to grab pid 0: No such process'
refused -1 'failed to grab pid -1: No such process'
# names that no program resembles: the one that it may mean would be told
for bad in qqqqqqqq 12x '' ' 1' 0x10; do
	refused "$bad" "invalid pid: $bad"
done
start_waits 2
for tid in /proc/"$target"/task/*; do
	tid=${tid##*/}
	[ "$tid" = "$target" ] || refused "$tid" "failed to grab pid $tid: $tid is a thread of process $target"
done
[ ! -e /proc/2/comm ] || [ "$(cat /proc/2/comm)" != kthreadd ] ||
	refused 2 'failed to grab pid 2: process 2 is a thread of the kernel'

python3 -c 'import os, time
if not os.fork(): os._exit(0)
time.sleep(30)' &
parent=$!
i=0
zombie=
while [ -z "$zombie" ] && [ $i -lt 500 ]; do
	zombie=$(ps -o pid=,stat= --ppid $parent 2>/dev/null | awk '$2 ~ /^Z/ { print $1 }')
	i=$((i + 1))
	sleep 0.01
done
[ -z "$zombie" ] || refused "$zombie" "failed to grab pid $zombie: process $zombie has ended: it is a zombie"
kill $parent

# a second tracer is told of the first
trace -qn 'BEGIN { printf("armed\n"); }' -p "$target"
traced
refused "$target" "failed to grab pid $target: process $target is already traced by dtrace (process [0-9]*)"
end_trace
if command -v strace >/dev/null; then
	strace -o "$TMP/strace" -p "$target" 2>"$TMP/attached" 3>&- &
	strace=$!
	waits_for "$TMP/attached" attached "strace"
	refused "$target" "failed to grab pid $target: process $target is already traced by strace (process $strace)"
	d -qn "pid$target:a.out:count_me:entry { exit(0); }"
	ends 1 "named in the program"
	like "named in the program" "$err" \
		"*failed to grab process $target: process $target is already traced by strace (process $strace)"
	kill $strace
	wait $strace
fi
unharmed "$target" "afterwards"

# dtrace itself: the shell's process becomes it
# shellcheck disable=SC2016
err=$(sh -c 'exec "$0" -qn "BEGIN { exit(0); }" -p $$' "$DTRACE" 2>&1)
like "itself" "$err" "dtrace: failed to grab pid *: process * is dtrace itself"

# a 32-bit program, made of three instructions
printf '.globl _start\n_start: mov $29,%%eax\n int $0x80\n jmp _start\n' >"$TMP/p32.s"
if as --32 -o "$TMP/p32.o" "$TMP/p32.s" 2>/dev/null && ld -m elf_i386 -o "$TMP/p32" "$TMP/p32.o" 2>/dev/null; then
	"$TMP/p32" 3>&- &
	p32=$!
	i=0
	while [ "$(cat /proc/$p32/comm 2>/dev/null)" = sh ] && [ $i -lt 100 ]; do
		i=$((i + 1))
		sleep 0.01
	done
	[ "$(cat /proc/$p32/comm 2>/dev/null)" != p32 ] ||
		refused $p32 "failed to grab pid $p32: process $p32 is a 32-bit program"
	kill $p32 2>/dev/null
fi

# one that does not let itself be looked at
if [ "$(id -u)" != 0 ]; then
	python3 -c 'import ctypes, time
ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
print("ready", flush=True)
time.sleep(30)' >"$TMP/closed" 3>&- &
	closed=$!
	waits_for "$TMP/closed" ready "a process that is not dumpable"
	refused $closed "failed to grab pid $closed: process $closed may not be inspected (a set-id program, or one that has made itself undumpable): tracing it needs root or CAP_SYS_PTRACE"
	kill $closed
fi

# another user's
other=$(ps -eo pid=,ppid=,user=,stat= |
	awk -v me="$(id -un)" '$3 == "root" && me != "root" && $4 !~ /^Z/ && $1 > 2 && $2 != 2 { print $1; exit }')
if [ -n "$other" ] && [ -d "/proc/$other" ] && [ "$(readlink /proc/"$other"/exe)" = "" ]; then
	d -qn 'BEGIN { exit(0); }' -p "$other"
	like "another user's" "$err" \
		"dtrace: failed to grab pid $other: process $other belongs to user 0: tracing it needs root or CAP_SYS_PTRACE"
fi
tell quit
target_ends
finish
