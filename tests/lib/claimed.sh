# shellcheck shell=sh
# claimed.sh: clauses that the target runs itself. Behind lib.sh.

# claimed PROGRAM [COMMAND]: records of all hits give the same answer; without room for a single record
# nothing is lost and nothing else is answered: it is claimed. Lines may come in any order.
claimed() {
	for how in on off; do
		d -x claim=$how -x fpidfull=wait -qn "$1" -o "$TMP/$how" -c "${2:-$TARGETS/t 3000 4 quiet}"
		ends 0 "claim=$how: $1"
		like "claim=$how: $1" "$err" ""
		sort "$TMP/$how" >"$TMP/$how.sorted"
		rm -f "$TMP/$how"
	done
	grep -q '[1-9]' "$TMP/on.sorted" || fail "$1: nothing was counted"
	cmp -s "$TMP/on.sorted" "$TMP/off.sorted" || fail "$1: (< claim=on, > claim=off)
$(diff "$TMP/on.sorted" "$TMP/off.sorted")"
	d -x fpidbuf=4k -qn "$1" -o "$TMP/on" -c "${2:-$TARGETS/t 3000 4 quiet}"
	ends 0 "$1"
	like "without room for records: $1" "$err" ""
	sort "$TMP/on" | cmp -s - "$TMP/on.sorted" || fail "$1: is not claimed, or depends on records"
	rm -f "$TMP/on"
}
