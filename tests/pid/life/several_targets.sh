# $target is the first -c; the run ends when all are gone.
# needs: user
. tests/lib/lib.sh

d -qn 'pid$target:a.out:leaf:entry { @ = count(); }' -c "$TARGETS/t 10" -c "$TARGETS/jumps 5" -o "$TMP/agg"
ends 0 "two targets"
like "both printed" "$out" "*"
grep -q '^leaf 11$' "$TMP/out" || fail "t did not run: $out"
grep -q '^nest ' "$TMP/out" || fail "jumps did not run: $out"
is "leaf calls" "$(awk 'NF == 1' "$TMP/agg" | tr -d ' ')" 11
finish
