# return fires once for each call of a function with several returns, recursion included; arg1 is
# the value, arg0 the offset of the returning instruction.
# needs: user
. tests/lib/lib.sh

d -qn 'pid$target:a.out:branchy:entry, pid$target:a.out:recurse:entry, pid$target:a.out:leaf:entry { @e[probefunc] = count(); }
    pid$target:a.out:branchy:return, pid$target:a.out:recurse:return, pid$target:a.out:leaf:return { @r[probefunc] = count(); }
    END { printa("%s %@d %@d\n", @e, @r); }' -o "$TMP/agg" -c "$TARGETS/t 300"
ends 0 "counts"
awk 'NF == 3 && $2 != $3 { bad = 1; print } NF == 3 { n++ } END { exit bad || n != 3 }' "$TMP/agg" ||
	fail "entries and returns differ: $(cat "$TMP/agg")"

# recurse(9) adds up to 45; the innermost returns 0
d -qn 'pid$target:a.out:recurse:return { @[arg1] = count(); } ' -c "$TARGETS/t 1"
got=$(awk 'NF == 2 && $1 ~ /^[0-9]+$/ { print $1 }' "$TMP/out" | tr '\n' ' ')
is "return values of recurse(9)" "$got" "0 1 3 6 10 15 21 28 36 45 "

d -qn 'pid$target:a.out:branchy:return { @[arg0] = count(); }' -c "$TARGETS/t 30"
offsets=$(awk 'NF == 2 && $1 ~ /^[0-9]+$/ { n++ } END { print n }' "$TMP/out")
[ "${offsets:-0}" -ge 1 ] || fail "no offset in arg0: $out"
finish
