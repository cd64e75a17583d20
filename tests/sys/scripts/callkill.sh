# Arguments kept at entry, told at return; integers compared with constants of signals.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
file_work
script callkill -c "$work"
is "calls" "$(cell SIGUSR1)" "$(said signals)"
is "lines" "$(echo "$out" | awk '$1 == "perl" && $2 == $3 && $4 == 10 && $5 == 0' | wc -l)" "$(said signals)"
finish
