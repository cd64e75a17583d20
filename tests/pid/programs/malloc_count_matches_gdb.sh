# The number of malloc calls of a small program is what an independent count says.
# needs: root
# timeout: 120
. tests/lib/lib.sh

need gdb
[ -z "$SAN" ] || skip "gdb counts the same program anyway"
d -qn 'pid$target:libc.so.6:malloc:entry { @ = count(); }' -x evaltime=main -c "$TARGETS/t 10 8" -o "$TMP/agg"
ours=$(awk 'NF == 1' "$TMP/agg" | tr -d ' ')
theirs=$(gdb -nx -batch -ex 'set debuginfod enabled off' -ex 'break main' -ex 'run 10 8' \
	-ex 'break malloc' -ex 'ignore 2 1000000' -ex continue -ex 'info breakpoints' "$TARGETS/t" 2>/dev/null |
	sed -n 's/.*breakpoint already hit \([0-9]*\) times*/\1/p' | tail -1)
[ -n "$theirs" ] || skip "gdb cannot count here"
is "calls of malloc" "$ours" "$theirs"
finish
