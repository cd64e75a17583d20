# raise() at a system call is sent by the kernel before the thread goes on, where it can tell by itself; else it is said.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf

work() { # a process that makes calls until it is ended
	dd if=/dev/zero of=/dev/null bs=1 count=2000000000 2>/dev/null &
	work=$!
}
trap 'kill -9 $work 2>/dev/null' EXIT
over='proc:::exit /pid == $1/ { printf("code %d\n", arg1); exit(0); } tick-60s { exit(1); }'

for how in '{ raise(9); @ = count(); }' '{ raise(9); printf("hit\n"); }' '{ printf("%d", arg2); raise(9); }'; do
	work
	d -wqn "syscall::write:entry /pid == \$1/ $how $over" $work
	ends 0 "$how"
	is "$how is not said to be late" "$err" ""
	like "$how ends it" "$out" "*code 9*"
	wait $work 2>/dev/null
	[ $? -eq 137 ] || fail "$how: it was not killed"
	case $how in
	*count*) is "one hit" "$(echo "$out" | awk 'NF == 1')" "$(printf '%17s' 1)" ;;
	*hit*) is "one hit" "$(echo "$out" | grep -c hit)" 1 ;;
	esac
done

# what others ask for, too, what may not be reached, and what ends with the first hit
late() { # late CLAUSE WHY
	work
	d -wqn "syscall::write:entry /pid == \$1/ $1 $over" $work
	like "$1 says it" "$err" "*raise() in syscall:vmlinux:write:entry takes effect some time after the call: $2*"
	wait $work 2>/dev/null
	[ $? -eq 137 ] || fail "$1: it was not killed"
}
late '{ raise(9); } syscall::write:entry { @ = count(); }' "several clauses*"
late '{ raise(9); exit(0); }' "there is an exit()*"
late '{ trace(*(char *)copyin(arg1, 1)); raise(9); }' "what else*"
late '{ raise(pid == $1 ? 9 : 0); }' "the signal is no constant*"

# nothing before BEGIN has ended well, and nothing behind exit()
work
d -wqn "BEGIN { exit(0); } syscall::write:entry /pid == \$1/ { raise(9); }" $work
ends 0 "exit() in BEGIN"
kill -0 $work || fail "a signal behind exit() in BEGIN"
kill $work
wait $work 2>/dev/null
finish
