# Times of system calls: several aggregations in one printa, a histogram of each.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
file_work
script calltime -c "$work"
echo "$out" | awk '$1 == "getppid" && NF == 9 { print ($5 >= $7 && $5 <= $9) ? "ordered" : $0, $3 }' >"$TMP/line"
is "getppid" "$(cat "$TMP/line")" "ordered $(said ppid)"
bars=$(echo "$out" | awk '/^[a-z]/ { on = $1 == "getppid" && NF == 1; next } on && /\|/ { n += $NF } END { print n }')
is "the bars of getppid" "$bars" "$(said ppid)"
is "CPU time beyond the time" "$(cell cputime odd)" 0
finish
