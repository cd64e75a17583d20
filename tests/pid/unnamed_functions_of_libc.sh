# Every instruction of what libc has no symbols for, the return from signal handlers among it.
# needs: user
. tests/lib/lib.sh

d -qn 'pid$target:libc.so.6:sub_*: { @ = count(); }' -o "$TMP/agg" -c "$TARGETS/storm 200"
ends 0 storm
like "storm's own counts" "$out" 'step 200
handler [1-9]*
bad 0'
finish
