# A vfork child that was there before we came runs in the same memory: it does not die of a breakpoint, and
# its calls count as its parent's.
# needs: user
. tests/lib/lib.sh
. tests/lib/attach.sh

start_ready "$TARGETS/vforks" 10
d -qn 'BEGIN { exit(0); } pid$target:a.out:count_me: { @[probename] = count(); }' -p "$target"
ends 0 "attached to and left"
unharmed "$target" "left while the parent waits"
trace -qn 'BEGIN { printf("armed\n"); } pid$target:a.out:count_me: { @[probename] = count(); }' -p "$target"
traced
tell go
waits_for "$TMP/said" 'calls' "the work"
target_ends
trace_ends
ends 0 "the run ended by itself"
is "what it said" "$(grep -v ready "$TMP/said")" "status 0
calls 11"
is "what was counted" "$(counts "$TMP/out" | grep -E 'entry|return')" "entry 11
return 11"
finish
