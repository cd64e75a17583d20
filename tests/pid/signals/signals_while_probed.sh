# Signal handlers run as they would; the program counters they see lie in the program's own code.
# needs: user
. tests/lib/lib.sh

d -qn 'pid$target:a.out:step:entry, pid$target:a.out:handler:entry { @[probefunc] = count(); }' -o "$TMP/agg" -c "$TARGETS/storm 20000"
ends 0 storm
counts "$TMP/out" | grep -E '^(step|handler)' >"$TMP/own"
is "counts" "$(counts "$TMP/agg")" "$(cat "$TMP/own")"
is "program counters elsewhere" "$(sed -n 's/^bad //p' "$TMP/out")" 0
finish
