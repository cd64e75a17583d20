# Outside testing mode lines begin with CPU and probe ID.
. tests/lib/lib.sh
unset _DTRACE_TESTING

d -n 'BEGIN { trace(7); trace(65536LL); trace("hello"); exit(0); }'
is "header" "$(head -1 "$TMP/out")" "CPU     ID                    FUNCTION:NAME"
like "line" "$(sed -n 2p "$TMP/out")" "$(printf '*      1                           :BEGIN           7               65536  %-33s' hello)"
is "columns" "$(sed -n 2p "$TMP/out" | wc -c)" 111
d -Fn 'BEGIN { exit(0); }'
is "flow header" "$(head -1 "$TMP/out")" "$(printf '%3s %-41s' CPU FUNCTION)"
d -qn 'BEGIN { printf("%2000000d%.2000000d%*d", 1, 2, 2000000, 3); exit(0); }'
is "widths are not cut" "$(wc -c <"$TMP/out")" 6000001
finish
