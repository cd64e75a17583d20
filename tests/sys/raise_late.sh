# raise() and stop() in probes that are told of by records: a signal to the process of the event, and to no other; what
# cannot be sent is said.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf

work() { # a process that forks, writes, sleeps and computes until it is ended
	# shellcheck disable=SC2016
	sh -c 'while :; do /bin/true; echo x >"$0"; i=0; while [ $((i += 1)) -lt 2000 ]; do :; done; done' "$TMP/f" &
	work=$!
}
trap 'kill -9 $work 2>/dev/null' EXIT

for probe in sched:::off-cpu proc:::create fsinfo:::write profile-997 rawtp:::sched_switch linux-sched:::sched_process_fork; do
	work
	d -wqn "$probe /pid == \$1/ { raise(SIGKILL); } proc:::exit /pid == \$1/ { printf(\"%d\", arg1); exit(0); }
		tick-60s { exit(1); }" $work
	ends 0 "$probe"
	is "$probe" "$out$err" 9
	wait $work 2>/dev/null
	[ $? -eq 137 ] || fail "$probe: it was not killed"
done

# a stop holds it, and is no end
work
d -wqn 'sched:::off-cpu /pid == $1 && !n++/ { stop(); } proc:::signal-send /args[2] == SIGSTOP && args[1]->pr_pid == $1/ { printf("stopped"); exit(0); }
	tick-30s { exit(1); }' $work
is "stop()" "$out" "stopped"
kill -9 $work
wait $work 2>/dev/null

# what has ended is sent nothing, which is said once, and so is what is ours
d -wqn 'proc:::exit /ppid == $target/ { raise(SIGKILL); }' -c 'sh -c "for i in 1 2 3 4 5 6 7 8 9; do /bin/true; done; exit 0"'
ends 0 "it has ended"
is "said once" "$(echo "$err" | grep -c 'raise() in proc:vmlinux::exit sends nothing to process [0-9]*: it has ended before its event was read')" 1
d -wqn 'BEGIN { raise(SIGKILL); printf("lives"); exit(0); }'
is "dtrace itself" "$out" "lives"
like "dtrace itself is told" "$err" "*it is dtrace's own*"
finish
