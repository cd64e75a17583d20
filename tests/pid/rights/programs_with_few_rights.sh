# Programs that may make no system call but read and write, or map no more memory: probed from their
# start and while they run, they come to the same end.
# needs: user
. tests/lib/lib.sh
. tests/lib/attach.sh

for what in strict limit; do
	d -qn 'pid$target:a.out:touch: { @[probename] = count(); }' -o "$TMP/$what" -c "$TARGETS/hostile $what 20"
	ends 0 "$what"
	like "$what" "$out" "ready *
touch 20
bad 0"
	is "$what: entries" "$(awk '$1 == "entry" { print $2 }' "$TMP/$what")" 20

	rm -f "$TMP/tell" "$TMP/said"
	mkfifo "$TMP/tell"
	"$TARGETS/hostile" $what 20 <"$TMP/tell" >"$TMP/said" 2>&1 &
	target=$!
	exec 3>"$TMP/tell"
	waits_for "$TMP/said" ready "$what"
	trace -qn 'BEGIN { printf("armed\n"); } pid$target:a.out:touch: { @[probename] = count(); }' -p "$target"
	traced
	tell
	waits_for "$TMP/said" bad "$what, attached"
	end_trace
	ends 0 "$what, attached"
	is "$what, attached: entries" "$(awk '$1 == "entry" { print $2 }' "$TMP/out")" 20
	is "$what, attached" "$(sed 1d "$TMP/said")" "touch 20
bad 0"
	tell
	target_ends "$what: the target"
	exec 3>&-
done
finish
