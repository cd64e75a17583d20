# Events of the network are told in the name of who has the socket, mostly in somebody else's time: raise() and stop() reach
# that process and no other; curthread is its thread, or there is a fault.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
"$DTRACE" --doctor | grep -q '^cgroup  *works' || skip "$("$DTRACE" --doctor | grep '^cgroup')"

while read -r probe traffic; do
	d -wqn "$probe"' /progenyof($target) && execname == "netserver"/ { raise(SIGKILL); }
		proc:::exit /progenyof($target)/ { printf("%s %d\n", execname, arg1); }
		proc:::exit /progenyof($target) && execname == "netserver"/ { printf("client %d\n", $target); exit(0); }
		tick-60s { exit(1); }' -c "$TARGETS/nettraffic $traffic"
	ends 0 "$probe"
	is "$probe: who was killed" "$(echo "$out" | grep ' 9$')" "netserver 9"
	kill -9 "$(echo "$out" | awk '$1 == "client" { print $2 }')" 2>/dev/null
done <<'END'
tcp:::accept-established tcp 4 100000 10
tcp:::receive tcp 6 100000 10
tcp:::send tcp 4 100000 10
tcpip:::copy tcp 4 100000 10
tcpip:::fail reset 4 100000 0
udp:::receive udp 4 100000 10
ip:::receive udp 6 100000 10
END

# a stop holds it: the one that has the socket
d -wqn 'tcp:::accept-established /progenyof($target) && execname == "netserver" && !n++/ { stop(); printf("%d\n", pid); }
	proc:::signal-send /args[2] == SIGSTOP/ { printf("%d\n%d\n", args[1]->pr_pid, $target);
		system("kill -9 %d %d", args[1]->pr_pid, $target); } tick-30s { exit(1); }' \
	-c "$TARGETS/nettraffic tcp 4 1000000 10"
ends 0 "stop()"
# shellcheck disable=SC2046
set -- $(echo "$out" | grep '^[0-9]*$')
is "stop(): who" "$1" "$2"
[ "$1" != "$3" ] || fail "stop(): the command: $out"

# curthread: where the thread is there by itself, it is; where another one's time is used, a fault and never that one
for family in 4 6; do
	d -qn 'int wrong; tcp:::, udp:::, ip:::, tcpip:::, udpip::: /progenyof($target)/ { this->right = curthread->pid == tid && curthread->tgid == pid &&
			stringof(curthread->comm) == execname; wrong += !this->right; @[probename] = sum(this->right); }
		ERROR { @e[arg4 == DTRACEFLT_BADADDR ? "fault" : "other"] = count(); }
		END { printf("wrong %d\n", wrong); printa("%s %@d\n", @); printa("%s %@d\n", @e); }' -c "$TARGETS/nettraffic tcp $family 10 70000"
	ends 0 "curthread, $family"
	is "curthread of another, $family" "$(echo "$out" | grep -E '^(wrong|other)')" "wrong 0"
	for probe in copy connect-established connect; do
		is "curthread at $probe, $family" "$(echo "$out" | awk -v probe=$probe '$1 == probe { print ($2 > 0) }')" 1
	done
	like "faults, $family" "$out" "*fault *"
done
finish
