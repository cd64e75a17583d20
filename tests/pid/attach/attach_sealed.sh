# A process whose seccomp filter kills it for mapping memory: probed all the same, and not killed.
# needs: user
. tests/lib/lib.sh
. tests/lib/attach.sh

start_waits 2 sealed
trace -qn 'BEGIN { printf("armed\n"); } pid$target:a.out:count_me: { @[probename] = count(); }' -p "$target"
traced
tell run 10
waits_for "$TMP/said" 'calls 20' "the work"
end_trace
ends 0 "^C"
is "entries" "$(awk '$1 == "entry" { print $2 }' "$TMP/out")" 20
unharmed "$target" "afterwards"
tell run 10
waits_for "$TMP/said" 'calls 40' "the work afterwards"
tell quit
target_ends
finish
