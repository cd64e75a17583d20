# Socket I/O by fds[arg0].fi_fs; aggregations are printed without a word in the script.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
file_work
script socketio -c "$work"
is "sends" "$(cell sends)" "$(said sends)"
is "sent" "$(cell sent)" "$(said sent)"
is "receives" "$(cell receives)" 1
finish
