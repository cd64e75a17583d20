# Two -p: each counts for itself, the first is $target, and the run ends with the last of them.
# needs: user
. tests/lib/lib.sh
. tests/lib/attach.sh

mkfifo "$TMP/tell1"
"$TARGETS/waits" 2 <"$TMP/tell1" >"$TMP/said1" &
first=$!
exec 4>"$TMP/tell1"
waits_for "$TMP/said1" ready "the first"
start_waits 3 4>&-
trace -qn "BEGIN { printf(\"armed\n\"); } pid\$target:a.out:count_me:entry,pid$target:a.out:count_me:entry { @[pid] = count(); }" \
	-x switchrate=50hz -p "$first" -p "$target" 4>&-
traced
echo run 5 >&4
tell run 7
waits_for "$TMP/said1" 'calls 10' "the first"
waits_for "$TMP/said" 'calls 21' "the second"
exec 4>&-
wait "$first" || fail "the first ended with $?"
kill -0 "$tracer" 2>/dev/null || fail "the run ended with the first"
tell quit
wait "$target" || fail "the second ended with $?"
trace_ends
ends 0 "the run ended by itself"
is "what was counted" "$(counts "$TMP/out")" "$(printf '%s\n' "$first 10" "$target 21" | sort)"
target=
finish
