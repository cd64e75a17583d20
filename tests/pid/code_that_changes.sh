# A program rewrites a function that is probed. What it wrote runs, and stays when we leave.
# needs: user
. tests/lib/lib.sh
. tests/lib/attach.sh

d -qn 'pid$target:a.out:patchee: { @["patchee", probename] = count(); }
    pid$target:a.out:touch:entry { @["touch", probename] = count(); }' -o "$TMP/agg" -c "$TARGETS/hostile selfmod 20"
ends 0 "from the start"
like "from the start" "$out" "ready *
changed 1
touch 20
bad 0"
is "hits" "$(awk 'NF == 3 && $2 == "entry" { print $1, $3 }' "$TMP/agg" | sort)" "patchee 40
touch 20"

start_ready "$TARGETS/hostile" selfmod 20
trace -qn 'BEGIN { printf("armed\n"); } pid$target:a.out:patchee: { @[probename] = count(); }' -p "$target"
traced
tell
waits_for "$TMP/said" changed "the change"
end_trace
ends 0 "^C"
is "entries before the change" "$(awk '$1 == "entry" { print $2 }' "$TMP/out")" 20
tell
target_ends
is "its own counts" "$(sed 1d "$TMP/said")" "changed 1
touch 20
bad 0"
finish
