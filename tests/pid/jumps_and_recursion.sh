# longjmp out of probed frames and deep recursion lose no hit and harm nobody.
# needs: user
. tests/lib/lib.sh

d -qn 'pid$target:a.out:nest:entry, pid$target:a.out:dive:entry { @[probefunc] = count(); }
    pid$target:a.out:dive:return { @r["returns"] = count(); }' -o "$TMP/agg" -c "$TARGETS/jumps 200"
ends 0 jumps
counts "$TMP/out" >"$TMP/own"
counts "$TMP/agg" | grep -v returns >"$TMP/traced"
is "counts" "$(cat "$TMP/traced")" "$(cat "$TMP/own")"
is "returns of dive" "$(counts "$TMP/agg" | sed -n 's/^returns //p')" "$(sed -n 's/^dive //p' "$TMP/own")"

d -qn 'pid$target:a.out:nest: { @[probename] = count(); }' -o "$TMP/deep" -c "$TARGETS/jumps 5 1000"
ends 0 "jumps out of a thousand frames"
is "entries" "$(awk '$1 == "entry" { print $2 }' "$TMP/deep")" "$(sed -n 's/^nest //p' "$TMP/out")"
finish
