# Where nothing happens the engine makes few system calls: at most 100 in a second, with every kind of probe. Of what
# else begins on the machine meanwhile some of them read the names: the best of several seconds counts.
# needs: root
# timeout: 300
. tests/lib/lib.sh
need perf

n=$(perf stat -x, -e raw_syscalls:sys_enter true 2>&1 | awk -F, '/raw_syscalls/ { print $1 }')
case $n in '' | *[!0-9]*) skip "perf stat counts no system calls here: $n" ;; esac

# calls PID: system calls that it makes in a second, and how many processes begin or execute a program meanwhile. One
# that does not run at all has no count.
calls() {
	perf stat -a -x, -e sched:sched_process_exec,sched:sched_process_fork \
		perf stat -x, -e raw_syscalls:sys_enter -p "$1" sleep 1 2>&1 |
		awk -F, '/raw_syscalls/ { n = $1 == "<not counted>" ? 0 : $1 } /sched_process/ { others += $1 }
			END { print n, others }'
}

# quiet WHAT D-ARGS...: once it has begun
quiet() {
	what=$1
	shift
	rm -f "$TMP/out" # of the last time, until the next begins to write
	"$DTRACE" -qn 'BEGIN { printf("begun\n"); }' "$@" >"$TMP/out" 2>"$TMP/err" </dev/null &
	front=$!
	if until_said "$TMP/out" '^begun' $front; then
		best=1000000 second=0
		while [ $best -gt 100 ] && [ $second -lt 5 ]; do
			second=$((second + 1))
			# each of the others is looked at: its file is opened, read and closed
			n=$(calls "$(engine_of $front)" | awk '{ print $1 - 3 * $2 }')
			[ "$n" -ge $best ] || best=$n
		done
		[ $best -le 100 ] || fail "$what: $best system calls in a quiet second"
	else
		fail "$what: $(cat "$TMP/err")"
	fi
	kill -TERM $front 2>/dev/null
	wait $front
}

sleep 1000 &
sleeper=$!
trap 'kill $sleeper 2>/dev/null' EXIT

quiet "no other probe"
quiet "tick" -n 'tick-1s { n++; }'
for act in '@ = count()' 'trace(arg0)' '@[ustack()] = count()'; do
	for provider in pid fpid; do
		quiet "$provider { $act }" -n "$provider\$target:libc:puts:entry { $act; }" -p $sleeper
	done
	quiet "syscall { $act }" -n "syscall::swapon:entry { $act; }"
	quiet "tracepoint { $act }" -n "linux-sched:::sched_process_hang { $act; }"
	quiet "proc { $act }" -n "proc:::exec-success /execname == \"nobody\"/ { $act; }"
	quiet "profile { $act }" -n "profile-97 /pid == $sleeper/ { $act; }"
done
quiet "fpid with a claim" -n 'fpid$target:libc:puts:entry { @[arg0 & 3] = quantize(arg1); }' -p $sleeper
quiet "sched" -n 'sched:::on-cpu /execname == "nobody"/ { trace(1); }'
quiet "io" -n 'io:::start /pid == 1/ { trace(1); }'
quiet "lost events" -n 'diag:::lostevent { trace(1); }'
for act in '@ = count()' 'trace(arg0)'; do
	for provider in pf vminfo sysinfo dpc isr lockstat fsinfo reg ip tcp udp tcpip udpip hwconfig; do
		quiet "$provider { $act }" -Zn "$provider::: /execname == \"nobody\"/ { $act; }"
	done
	quiet "sdt { $act }" -n "sdt:sched::sched_process_hang { $act; }"
	quiet "pmc { $act }" -n "pmc:::context-switches { $act; }" -p $sleeper
	quiet "cpc { $act }" -n "cpc:::page-faults-user-1 { $act; }" -p $sleeper
	quiet "dnet { $act }" -Zn "dnet::: { $act; }" -p $sleeper
done
finish
