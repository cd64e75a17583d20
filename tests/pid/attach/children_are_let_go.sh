# Children made by fork, vfork, posix_spawn and clone run on unpatched; their program and exit status
# are what they would have been; calls of a vfork child count as the parent's.
# needs: user
. tests/lib/lib.sh

"$TARGETS/kids" 20 >"$TMP/plain" || fail "kids fails untraced"
d -qn 'pid$target:a.out:touch:entry { @ = count(); }' -o "$TMP/agg" -c "$TARGETS/kids 20"
ends 0 kids
is "the program's own output" "$out" "$(cat "$TMP/plain")"
is "notices" "$err" ""
own=$(awk '$1 == "touch" { print $2 }' "$TMP/out")
got=$(awk 'NF == 1' "$TMP/agg" | tr -d ' ')
is "touches in the parent's memory" "$got" "$own"
finish
