# A table in the target that is full is searched for long at each hit: threads are in the middle of that when
# the hooks are taken out, and nothing of them is left all the same.
# needs: user
# timeout: 60
. tests/lib/lib.sh
. tests/lib/attach.sh

start_waits 4
tell spin
for round in 1 2; do
	for ms in 50 500 5000; do # until it is full, however little of the CPUs the target gets
		d -n 'fpid$target:a.out::entry { @[arg0] = count(); } tick-'$ms'ms { exit(0); } END { trunc(@); }' -p "$target"
		ends 0 "round $round"
		case $err in *"aggregation drops"*) break ;; esac
	done
	like "round $round: the table was full" "$err" "*aggregation drops*"
	case $err in *"stays, without use"*) fail "round $round: $err" ;; esac
done
unharmed "$target" "afterwards"
end_waits
finish
