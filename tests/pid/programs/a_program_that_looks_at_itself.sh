# A program sums its own code and asks for its tracer and its CPUs: it sees us while we are there, and
# nothing of us afterwards.
# needs: user
. tests/lib/lib.sh
. tests/lib/attach.sh

start "$TARGETS/hostile" mirror 3
waits_for "$TMP/said" "round 0" "the target"
tell
waits_for "$TMP/said" "round 1" "untraced"
trace -qn 'BEGIN { printf("armed\n"); } pid$target:a.out:touch:entry { @ = count(); }' -p "$target"
traced
tell
waits_for "$TMP/said" "round 2" "traced"
end_trace
ends 0 "^C"
tell
target_ends
is "tracer" "$(awk '$1 == "tracer" { printf "%s ", $2 }' "$TMP/said")" "0 1 0 "
awk '$1 == "sum" { sum[n++] = $2 } END { exit !(n == 3 && sum[0] == sum[2] && sum[0] != sum[1]) }' "$TMP/said" ||
	fail "sums: $(grep sum "$TMP/said")"
awk '$1 == "cpus" { cpus[n++] = $2 } END { exit !(cpus[0] == cpus[2]) }' "$TMP/said" ||
	fail "cpus: $(grep cpus "$TMP/said")"
finish
