# What a program wants done at SIGTRAP (ignored, a handler that calls probed functions) stays so, though the kernel
# forgets it where a breakpoint is hit while the signal is ignored or blocked.
# needs: user
. tests/lib/lib.sh
. tests/lib/attach.sh

# unchanged WHAT PROBE: it says what it says without a tracer, and touch is counted
unchanged() {
	"$TARGETS/sigtrap" "$1" >"$TMP/free"
	d -qn "$2"' { @[probefunc] = count(); }' -o "$TMP/agg" -c "$TARGETS/sigtrap $1"
	ends 0 "$1"
	is "$1, $2" "$out$err" "$(cat "$TMP/free")"
	like "$1, $2: counted" " $(awk '$1 == "touch"' "$TMP/agg" | tr -s ' ') " " *$(grep '^touch' "$TMP/free") "
	rm -f "$TMP/agg"
}

for what in ignored handled siginfo once nothing; do
	unchanged $what 'pid$target:a.out:touch:entry'
	unchanged $what 'pid$target:a.out::entry,pid$target:libc.so*:*sig*:entry'
	unchanged $what 'fpid$target:a.out::entry'
done

trap '' TRAP
unchanged nothing 'pid$target:a.out:touch:entry'
trap - TRAP

mkfifo "$TMP/tell"
"$TARGETS/sigtrap" wait <"$TMP/tell" >"$TMP/said" 2>&1 &
target=$!
exec 3>"$TMP/tell"
waits_for "$TMP/said" asked "the target"
trace -qn 'BEGIN { printf("armed\n"); } pid$target:a.out:touch:entry { @ = count(); }' -p "$target"
waits_for "$TMP/out" armed "the tracer"
echo go >&3
exec 3>&-
wait "$target" || fail "attached to it ended with $?"
target=
wait "$tracer"
tracer=
is "attached" "$(tail -3 "$TMP/said" | tr '\n' ' ')$(grep -v armed "$TMP/out" | tr -d ' \n')" \
	"last: handled touch 30 handled 10 30"
finish
