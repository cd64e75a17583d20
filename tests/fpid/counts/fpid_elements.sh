# self->x[keys] with keys that are known beforehand (probefunc and the like, constants) is kept by the
# target, an element a variable: the same with claim=off, and without room for a single record.
# needs: user
# timeout: 120
. tests/lib/lib.sh

# elements PROGRAM [COMMAND]
elements() {
	for how in claim=on claim=off; do
		d -x "$how" -x fpidfull=wait -qn "$1" -o "$TMP/log" -c "${2:-$TARGETS/t 3000 4 quiet}"
		ends 0 "$how: $1"
		like "$how: $1" "$err" ""
		sort "$TMP/log" >"$TMP/$how"
		rm -f "$TMP/log"
	done
	grep -q '[1-9]' "$TMP/claim=on" || fail "$1: nothing was counted"
	cmp -s "$TMP/claim=on" "$TMP/claim=off" || fail "$1: (< claim=on, > claim=off)
$(diff "$TMP/claim=on" "$TMP/claim=off")"
	d -x fpidbuf=4k -qn "$1" -o "$TMP/log" -c "${2:-$TARGETS/t 3000 4 quiet}"
	like "without room for records: $1" "$err" ""
	sort "$TMP/log" | cmp -s - "$TMP/claim=on" || fail "$1: depends on records"
	rm -f "$TMP/log"
}

all='fpid$target:a.out:'
elements "$all:entry { self->t[probefunc] = arg0 + 1; } $all:return /self->t[probefunc]/ {
	@[probefunc] = sum(self->t[probefunc]); self->t[probefunc] = 0; }"
elements "self int n[string, int, string]; $all:entry { self->n[probefunc, 3, \"x\"]++; self->n[\"a\", -1, probename]++; }
	$all:return { @[probefunc] = max(self->n[probefunc, 3, \"x\"]); @a = max(self->n[\"a\", -1, \"entry\"]); }"
elements "self char d[string]; $all:entry { self->d[probefunc]++; }
	$all:return /self->d[probefunc]/ { @[probefunc, self->d[probefunc]] = count(); self->d[probefunc]--; }"
# of functions some of whose returns are breakpoints
elements "${all}cramped:entry { self->t[probefunc] = arg0 + 1; @e = count(); }
	${all}cramped:return /self->t[probefunc]/ { @[self->t[probefunc], arg1] = count(); self->t[probefunc] = 0; }" "$TARGETS/cramped 300 3"

# each function's time: each call once, none negative
d -x fpidbuf=4k -qn "$all:entry { self->ts[probefunc] = timestamp; } $all:return /self->ts[probefunc]/ {
	@[probefunc] = count(); @low = min(timestamp - self->ts[probefunc]); self->ts[probefunc] = 0; }" -c "$TARGETS/t 3000 4 quiet"
ends 0 "times"
like "times" "$err" ""
like "times" "$(echo $out)" "*branchy 12000*leaf 13200*"

# keys that are not known there, and an array that others use, are the engine's
for how in claim=on claim=off; do
	d -x $how -x fpidfull=wait -qn "self long t[uint64_t]; ${all}leaf:entry { self->t[arg0] = 7; } ${all}leaf:return { @ = sum(self->t[3]); }" \
		-c "$TARGETS/t 300 1 quiet"
	is "a key that is an argument, $how" "$(echo $out)" "$(d -x fpidfull=wait -qn "${all}leaf:entry /arg0 == 3 || self->x/ { self->x = 7; }
		${all}leaf:return { @ = sum(self->x); }" -c "$TARGETS/t 300 1 quiet"; echo $out)"
	d -x $how -x fpidfull=wait -qn "${all}leaf:entry { self->t[probefunc] = 7; } pid\$target:a.out:leaf:return /self->t[probefunc]/ { @ = count(); }" \
		-c "$TARGETS/t 300 1 quiet"
	ends 0 "an array that pid uses, too"
done
finish
