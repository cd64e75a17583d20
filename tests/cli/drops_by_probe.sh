# Drops are told by CPU, as they were always; at the end, with -q, too, also by probe, with the option that makes room.
# needs: user
. tests/lib/lib.sh
unset _DTRACE_TESTING # stable output has the drop messages only

d -x aggsize=1k -n 'int n; pid$target:a.out:leaf:entry { @[n++] = count(); }' \
	-c "$TARGETS/t 500 1 quiet"
ends 0 "aggregation"
lost=$(echo "$err" | awk '/aggregation drops* on CPU/ { n += $2 } END { print n + 0 }')
[ "$lost" -gt 300 ] || fail "only $lost of 550 keys found no room in 1k"
like "the probe and the option" "$err" "*dtrace: aggregation drops by probe: pid*:t:leaf:entry $lost; a larger -x aggsize or fewer keys make room*"
is "kept and lost" "$((lost + $(echo "$out" | awk 'NF == 2 { n += $2 } END { print n + 0 }')))" 550

d -x dynvarsize=1k -n 'int n; pid$target:a.out:leaf:entry { a[n++] = 1; }' -c "$TARGETS/t 500 1 quiet"
ends 0 "variables"
like "variables" "$err" "*dynamic variable drop*dtrace: dynamic variables found no room: raise -x dynvarsize, or assign 0 to some; they are assigned by * at line 1*"

d -q -x aggsize=1k -n 'int n; pid$target:a.out:leaf:entry { @[n++] = count(); }' -c "$TARGETS/t 500 1 quiet"
like "with -q, too" "$err" "*drops on CPU *dtrace: aggregation drops by probe: pid*:t:leaf:entry *aggsize*"

d -b 400 -n 'BEGIN { self->s = speculation(); } BEGIN { speculate(self->s); printf("%s", "first"); }
	BEGIN { speculate(self->s); printf("%s", "second"); } BEGIN { commit(self->s); } BEGIN { exit(0); }'
like "records" "$err" "*dtrace: 1 drop on CPU *dtrace: drops by probe: dtrace:::BEGIN 1; larger buffers (-b) or a shorter -x switchrate make room; aggregations (@[[]keys] = ...) need none of it"

d -x nspec=1 -n 'BEGIN { speculation(); speculation(); exit(0); }'
like "speculations" "$err" "*failed speculation*dtrace: all speculations were in use: raise -x nspec*"

d -x aggsize=64 -n 'BEGIN, END { @[1] = count(); } BEGIN, END { @[2] = count(); @[3] = count(); } BEGIN { exit(0); }' -o "$TMP/o"
like "a probe of several clauses is named once" "$err" \
	"*: aggregation drops by probe: dtrace:::BEGIN 2, dtrace:::END 2; a larger*"
_DTRACE_TESTING=1
export _DTRACE_TESTING
d -x nspec=1 -n 'BEGIN { speculation(); speculation(); exit(0); }'
is "stable output" "$err" "dtrace: description 'BEGIN ' matched 1 probe
dtrace: 1 failed speculation (no speculative buffer available)"
finish
