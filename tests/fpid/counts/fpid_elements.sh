# self->x[keys] with keys that are known beforehand (probefunc and the like, constants) is kept by the
# target, an element a variable: the same with claim=off, and without room for a single record.
# needs: user
# timeout: 120
. tests/lib/lib.sh
. tests/lib/claimed.sh

all='fpid$target:a.out:'
claimed "$all:entry { self->t[probefunc] = arg0 + 1; } $all:return /self->t[probefunc]/ {
	@[probefunc] = sum(self->t[probefunc]); self->t[probefunc] = 0; }"
claimed "self int n[string, int, string]; $all:entry { self->n[probefunc, 3, \"x\"]++; self->n[\"a\", -1, probename]++; }
	$all:return { @[probefunc] = max(self->n[probefunc, 3, \"x\"]); @a = max(self->n[\"a\", -1, \"entry\"]); }"
claimed "self char d[string]; $all:entry { self->d[probefunc]++; }
	$all:return /self->d[probefunc]/ { @[probefunc, self->d[probefunc]] = count(); self->d[probefunc]--; }"
# of functions some of whose returns are breakpoints
claimed "${all}cramped:entry { self->t[probefunc] = arg0 + 1; @e = count(); }
	${all}cramped:return /self->t[probefunc]/ { @[self->t[probefunc], arg1] = count(); self->t[probefunc] = 0; }" "$TARGETS/cramped 300 3"

# each function's time: each call once, none negative
d -x fpidbuf=4k -qn "$all:entry { self->ts[probefunc] = timestamp; } $all:return /self->ts[probefunc]/ {
	@[probefunc] = count(); @low = min(timestamp - self->ts[probefunc]); self->ts[probefunc] = 0; }" -c "$TARGETS/t 3000 4 quiet"
ends 0 "times"
like "times" "$err" ""
like "times" "$(echo $out)" "*branchy 12000*leaf 13200*"

# keys that are not known beforehand, and an array that others use
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
