# -l creates the probes of a process, lists them, never runs it, and shows the object's own name.
# needs: user
. tests/lib/lib.sh

d -ln 'pid$target:libc.so.6:str*:entry' -c /bin/true
ends 0 "libc"
is "its header" "$(head -1 "$TMP/out")" "$(printf '%5s %10s %17s %33s %s' ID PROVIDER MODULE FUNCTION NAME)"
awk 'NR > 1 && !($2 ~ /^pid[0-9]+$/ && $3 == "libc.so.6" && $4 ~ /^str/ && $5 == "entry") { print; bad = 1 } END { exit bad || NR < 20 }' "$TMP/out" ||
	fail "unexpected lines, or only $(wc -l <"$TMP/out")"
grep -q ' strdup entry$' "$TMP/out" || fail "no strdup"
d -ln 'pid$target:a.out:leaf:entry' -c "$TARGETS/t 5"
is "a.out is shown by its name" "$(awk 'NR == 2 { print $3, $4, $5 }' "$TMP/out")" "t leaf entry"
! grep -q '^work' "$TMP/out" || fail "the program ran"
d -ln 'pid$target:libc:malloc:entry' -c /bin/true
is "libc is libc.so.6" "$(awk 'NR == 2 { print $3, $4, $5 }' "$TMP/out")" "libc.so.6 malloc entry"
d -ln 'pid$target:a.out:leaf:' -c "$TARGETS/t 5"
for name in entry return 0; do
	awk -v n="$name" 'NR > 1 && $5 == n { found = 1 } END { exit !found }' "$TMP/out" || fail "leaf: lists no $name"
done

# more than is written at once: every function of the table is there, each on a line of its own
d -ln 'pid$target:a.out::entry' -c "$DTRACE -V"
nm "$DTRACE" | awk '$2 ~ /^[tT]$/ && $3 ~ /^[a-z][a-z_]*$/ { print $3 }' | sort -u >"$TMP/nm"
awk '$5 == "entry" { print $4 }' "$TMP/out" | sort -u >"$TMP/listed"
[ "$(comm -12 "$TMP/nm" "$TMP/listed" | wc -l)" -gt 1000 ] || fail "functions are missing"
is "lines that are none" "$(awk 'NR > 1 && NF != 5' "$TMP/out" | wc -l)" 0
awk 'NR == 2 { n = $1 } NR > 2 && $1 != ++n { exit 1 }' "$TMP/out" || fail "not in the order of their numbers"
finish
