# Signals by sender and receiver: args[1] and args[2] of signal-send.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
file_work
script sigsend -c "$work"
is "to itself" "$(cell perl '>' itself 10)" "$(said signals)"
# in a child: what is sent to a traced process is not ignored before its tracer has seen it
printf '%s\ntrue\n' "$work" >"$TMP/sub.sh"
script sigsend -c "sh $TMP/sub.sh"
is "ignored" "$(cell discarded 10)" "$(said signals)"
process_work
script sigsend -c "$work"
is "SIGTERM" "$(cell perl '>' perl 15)" 2
is "SIGUSR1" "$(cell perl '>' perl 10)" 1
finish
