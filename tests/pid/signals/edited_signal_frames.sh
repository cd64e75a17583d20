# A handler edits its frame, so that the return from it lands on a probed instruction.
# needs: user
. tests/lib/lib.sh

d -qn 'pid$target:a.out:srop_landing: { @[probename] = count(); }
    pid$target:a.out:on_redirect: { @r = count(); }' -o "$TMP/agg" -c "$TARGETS/hostile srop 200"
ends 0 srop
is "its own counts" "$out" "touch 200
bad 0"
is "counts" "$(counts "$TMP/agg")" "0 200
8 200
entry 200"
finish
