# Random D programs print what the same programs in C print (make fuzz-d makes a million).
. tests/lib/lib.sh
need python3 gcc

tests/tools/fuzz-d --dtrace "$DTRACE" --programs 300 --batch 100 --seed 20 >"$TMP/out" 2>&1 || fail "$(head -60 "$TMP/out")"
like "all of them" "$(cat "$TMP/out")" "*300 programs*the same answers"
finish
