# Intervals: printa and clear, headings every few lines, an end after $1 of them.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
script ticks -c "$TARGETS/burn 5" 4
is "intervals" "$(echo "$out" | grep interval)" "interval 4
interval 3
interval 2
interval 1"
is "headings" "$(echo "$out" | grep -c '^TABLE *$')" 2
script ticks -c "$TARGETS/burn 5"
is "3 unless told" "$(echo "$out" | grep -c interval)" 3
finish
