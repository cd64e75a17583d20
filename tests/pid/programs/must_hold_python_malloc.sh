# ustack(5) as a key of a quantize of malloc's sizes works on python3.
# needs: user
# timeout: 120
. tests/lib/lib.sh

need python3
d -qn 'pid$target:libc.so.6:malloc:entry { @[ustack(5)] = quantize(arg0); }' -o "$TMP/agg" -c 'python3 -S -c "print(1)"'
ends 0 python3
is "its output" "$out" 1
grep -q 'libc.so.6`malloc$' "$TMP/agg" || fail "no malloc frame"
grep -q 'Distribution' "$TMP/agg" || fail "no histogram"
[ "$(grep -c 'python3' "$TMP/agg")" -gt 10 ] || fail "no python frames"
finish
