# A process with a thousand threads: all calls of all of them, and nobody is hurt.
# needs: user
# timeout: 120
. tests/lib/lib.sh
. tests/lib/attach.sh

prog='pid$target:a.out:count_me:entry { @[probename] = count(); @t["threads"] = sum(seen[tid] ? 0 : 1); seen[tid] = 1; }'
start_waits 1000
trace -qn "int seen[int]; BEGIN { printf(\"armed\n\"); } $prog" -p "$target"
traced
tell run 7
waits_for "$TMP/said" 'calls 7000' "the work"
end_trace
ends 0 "^C"
is "what was counted" "$(counts "$TMP/out")" "entry 7000
threads 1000"
unharmed "$target" "after ^C"
tell run 1
waits_for "$TMP/said" 'calls 8000' "the work afterwards"
tell quit
target_ends
finish
