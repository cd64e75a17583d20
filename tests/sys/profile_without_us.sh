# What the tracer does itself is no part of a profile of the machine, however much that is.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system

# its own work: each call of the program is a key; the profile of one's own work would find it
dd if=/dev/zero of=/dev/null bs=1 count=100000000 2>/dev/null &
work=$!
trap 'kill $work 2>/dev/null' EXIT
d -qn 'profile-1999 /progenyof($pid)/ { @["ours"] = count(); } profile-1999 /!progenyof($pid)/ { @["others"] = count(); }
	syscall:::entry /pid == $1/ { @calls[timestamp] = count(); } tick-1s { exit(0); }
	END { trunc(@calls); printa("%s\n", @); }' $work
is "whose samples" "$(echo "$out" | grep .)" others
finish
