# A running process that execs: the program it becomes is matched anew, and counted from its start.
# needs: user
. tests/lib/lib.sh
. tests/lib/attach.sh

# shellcheck disable=SC2016
start sh -c 'read -r x; exec "$0" 10' "$TARGETS/t"
trace -Zqn 'BEGIN { printf("armed\n"); } pid$target:a.out:leaf:entry { @ = count(); }' -p "$target"
traced
tell go
target_ends
trace_ends
ends 0 "the run ended by itself"
is "its own count" "$(awk '$1 == "leaf" { print $2 }' "$TMP/said")" 11
is "what was counted" "$(awk 'NF == 1 && $1 ~ /^[0-9]+$/' "$TMP/out" | tr -d ' ')" 11
finish
