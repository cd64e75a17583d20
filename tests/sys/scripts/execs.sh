# New programs with their arguments: curpsinfo->pr_psargs, %Y of walltimestamp.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
process_work
script execs -c "$work"
is "programs" "$(cell programs sh)" "$(said execs)"
is "their arguments" "$(echo "$out" | grep -c "^$(date +%Y) .* /bin/sh -c exit 7\$")" 3
finish
