# -x follow: every call of every descendant is counted, whatever made it; the programs notice nothing.
# needs: user
# timeout: 120
. tests/lib/lib.sh

"$TARGETS/kids" 20 >"$TMP/plain" || fail "kids fails untraced"
d -x follow -qn 'pid$target:a.out:touch:entry { @[pid == $target ? "own" : "theirs"] = count(); }
	pid$target:a.out:touch:entry /!progenyof($target)/ { @["strangers"] = count(); }
	END { printa("%s %@d\n", @); }' -o "$TMP/agg1" -c "$TARGETS/kids 20"
ends 0 kids
is "the program's own output" "$out" "$(cat "$TMP/plain")"
is "notices" "$err" ""
# a round: 100 + 1 calls in forks, three programs of one call; vfork children count as the parent
is "calls" "$(sort "$TMP/agg1" | grep .)" "own $(awk '$1 == "touch" { print $2 }' "$TMP/plain")
theirs $((20 * 104))"

d -x follow -qn 'pid$target:a.out:touch:return { @ = count(); } END { printa("%@d\n", @); }' \
	-o "$TMP/agg2" -c "$TARGETS/kids 5"
is "returns" "$(grep . "$TMP/agg2")" "$((5 * (104 + 4)))"

# Fifty subshells, each with work of its own.
d -x follow -qn 'pid$target:libc.so.6:_exit:entry { @[execname, pid == $target] = count(); }
	END { printa("%s %d %@d\n", @); }' -o "$TMP/agg3" \
	-c "sh -c 'i=0; while [ \$i -lt 50 ]; do (: \$i); i=\$((i+1)); done; echo ok'"
ends 0 "fifty subshells"
is "fifty subshells: output" "$out" ok
is "fifty subshells" "$(sort "$TMP/agg3" | grep .)" "sh 0 50
sh 1 1"

# All functions of libc in 125 children that live at once: more than 250,000 breakpoints, each known to be
# its process's own.
mkfifo "$TMP/gate"
d -x follow -qn 'pid$target:libc.so.6::entry { @[probefunc] = count(); } END { printa("%s %@d\n", @); }' -o "$TMP/agg7" \
	-c "sh -c 'exec 9<>$TMP/gate; i=0; while [ \$i -lt 125 ]; do (read x <$TMP/gate) & i=\$((i+1)); done; while [ \$i -gt 0 ]; do echo >&9; i=\$((i-1)); done; wait; echo ok'"
ends 0 "125 at once"
is "125 at once: output" "$out" ok
is "125 at once: notices" "$err" ""
like "125 at once" "$(grep -i '^_exit [0-9]*' "$TMP/agg7")" "_[eE]xit 126"

# Programs of descendants, in stacks too: symbols are those of the process that hit.
d -x follow -qn 'pid$target:a.out:touch:entry /pid != $target/ { @[ustack(2), pid] = count(); }' \
	-c "$TARGETS/kids 2"
is "frames without a name" "$(printf '%s\n' "$out" | grep -c '^ *0x')" 0
like "frames" "$out" "*kids\`touch*kids\`main*"

# fpid and absolute addresses are the descendants' as well.
d -x follow -qn 'fpid$target:a.out:touch:entry { @ = count(); } END { printa("%@d\n", @); }' \
	-o "$TMP/agg5" -c "$TARGETS/kids 5"
is "fpid" "$(grep . "$TMP/agg5")" "$((5 * (104 + 4)))"

# Without the option nothing of theirs is seen.
d -qn 'pid$target:a.out:touch:entry /pid != $target/ { @ = count(); } END { printa("%@d\n", @); }' \
	-o "$TMP/agg6" -c "$TARGETS/kids 5"
is "without follow" "$(grep . "$TMP/agg6")" ""
finish
