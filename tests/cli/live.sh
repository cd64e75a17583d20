# -x live shows the aggregations while tracing: on a terminal over and over in one place, elsewhere one after another;
# what printa() has printed is not among them, and the end is as without it.
. tests/lib/lib.sh

cat >"$TMP/t.d" <<'END'
tick-10ms { @n["seen"] = count(); @p["printed"] = count(); }
BEGIN { @p["printed"] = count(); printa("%s\n", @p); }
tick-10ms /++n == 100/ { exit(0); }
END
d -x live -x aggrate=20ms -qs "$TMP/t.d"
ends 0 live
[ "$(grep -c '^  seen ' "$TMP/out")" -ge 2 ] || fail "shown once: $out"
is "printa() has shown it" "$(grep -c '^  printed ' "$TMP/out")" 0
is "the end" "$(tail -1 "$TMP/out" | tr -s ' ')" " seen 100"
grep -q "$(printf '\033')" "$TMP/out" && fail "control sequences in a file"
is "without it" "$("$DTRACE" -x aggrate=20ms -qs "$TMP/t.d" </dev/null | grep -c '^  seen ')" 1

command -v script >/dev/null 2>&1 || skip "no script(1): the terminal is not tried"
cat >"$TMP/rows.d" <<'END'
int n;
tick-10ms { @[n % 50] = count(); n++; }
tick-10ms /n == 100/ { exit(0); }
END
script -qec "stty rows 6; $DTRACE -x live -x aggrate=20ms -qs $TMP/rows.d" "$TMP/typescript" </dev/null >/dev/null 2>&1
tr -d '\r' <"$TMP/typescript" | tr '\033' '^' | awk '
	/\^\[J/ { in_draw = 0; ends++ }
	index($0, "^[H") { draws++; lines = 0; in_draw = 1 }
	in_draw && /\^\[K$/ { lines++; if (lines > longest) longest = lines }
	END { print (draws > 0 && ends >= draws), longest }' >"$TMP/draws"
is "drawings that fit six lines" "$(cat "$TMP/draws")" "1 5"

# what acts on terminals is harmless in keys
script -qec "$DTRACE -x live -x aggrate=20ms -qn 'tick-10ms { @[\"a\\033[31mb\\rc\\302\\233d\"] = count(); } tick-200ms { exit(0); }'" "$TMP/typescript" </dev/null >/dev/null 2>&1
tr '\033' '^' <"$TMP/typescript" | sed '/\^\[J/q' | grep -q 'a?\[31mb?c?d ' || fail "a key with control characters: $(tr '\033' '^' <"$TMP/typescript" | head -5)"

# rows end at the terminal's edge, by characters as it shows them, also when its size has changed
cat >"$TMP/wide.d" <<'END'
int n;
tick-10ms { @["wide \344\270\255\346\226\207 characters and an accent e\314\201, longer than any"] = count(); @["short"] = count(); n++; }
tick-10ms /n == 200/ { exit(0); }
END
if command -v python3 >/dev/null 2>&1; then
	is "the edge" "$(python3 tests/cli/live_edge.py "$DTRACE" -x live -x aggrate=20ms -qs "$TMP/wide.d")" "40 20"
fi
finish
