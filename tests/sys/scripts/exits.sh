# How processes end: the reason and the code of proc:::exit.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
process_work
script exits -c "$work"
is "statuses" "$(echo "$out" | grep status | sort)" "status 0 1
status 1 2
status 5 2
status 7 3
status 9 4"
is "SIGTERM" "$(cell SIGTERM)" 2
is "SIGUSR1" "$(cell SIGUSR1)" 1
finish
