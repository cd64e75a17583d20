# Constants in self-> variables of type string that only clauses use that the target runs are kept there: the same with claim=off;
# without room for a single record nothing is lost. A key that is NULL faults; a
# breakpoint finds them, and what it assigns is found. What has no room is counted.
# needs: user
# timeout: 120
. tests/lib/lib.sh
. tests/lib/claimed.sh

take='fpid$target:a.out:take:entry'
leave='fpid$target:a.out:take:return'
texts="$TARGETS/texts 300 3"

claimed "$take"' { self->s = probename; } '"$leave"' /self->s != NULL/ { @[self->s] = count(); self->s = 0; } fpid$target:a.out:look:return /self->s == 0/ { @none = count(); }' "$texts"
claimed "$take"' /arg1 & 1/ { self->n = arg1; self->f = probefunc; self->e = execname; } '"$leave"' /self->f != 0/ { self->u = self->f; self->f = 0; @[self->u] = sum(self->n); @e[self->e, arg1] = count(); self->n = 0; }' "$texts"
claimed "$take"' /arg1 & 1/ { self->s = "odd"; self->t = ""; } '"$take"' /!(arg1 & 1)/ { self->s = "even"; self->t = "of length"; } '"$leave"' { @[self->s] = count(); @t[self->t] = count(); self->t = self->u = self->s; @u[self->u, probename] = count(); }' "$texts"

# alike OPTIONS PROGRAM COMMAND: claim=on and claim=off say the same
alike() {
	for how in on off; do
		# shellcheck disable=SC2086
		d $1 -x claim=$how -x fpidfull=wait -qn "$2" -c "$3"
		ends 0 "claim=$how: $2"
		echo "$out" | sort >"$TMP/alike.$how"
		echo "$err" | sed 's/ID [0-9]* (ID [0-9]*: fpid[0-9]*/ID/' | sort >>"$TMP/alike.$how"
	done
	cmp -s "$TMP/alike.on" "$TMP/alike.off" || fail "$2: (< claim=on, > claim=off)
$(diff "$TMP/alike.on" "$TMP/alike.off" | head -20)"
}
alike "-x strsize=8" "$take"' { self->s = "longer than that"; } '"$leave"' { @[self->s] = count(); }' "$texts"
alike "" "$take"' { self->s = copyinstr(arg0); @after = count(); } '"$leave"' /self->s != 0/ { @[self->s] = count(); self->s = 0; } ERROR { @e[arg2, arg3, arg4, arg5] = count(); }' "$texts faults"
grep -q 'invalid address (0x1) in' "$TMP/alike.on" || fail "memory that is not there: no fault"
alike "" "$take"' /arg1 & 1/ { self->s = probefunc; } '"$leave"' { @before = count(); @[self->s, arg1] = count(); @behind = count(); self->s = 0; } ERROR { @e[arg2, arg3, arg4, arg5] = count(); }' "$texts"
grep -q 'invalid address (0x0) in' "$TMP/alike.on" || fail "NULL as a key: no fault"
# of clauses that make records the engine has them; so it has texts of memory
alike "" "$take"' { self->s = copyinstr(arg0); } '"$leave"' /self->s != 0/ { printf("%s\n", self->s); @[self->s] = count(); }' "$TARGETS/texts 30 1"

# at a return that is a breakpoint: what the entry has assigned, and the other way round
cramped='fpid$target:a.out:cramped'
claimed "$cramped"':entry { self->s = probename; @t[self->s] = count(); } '"$cramped"':return /self->s != 0/ { @[self->s, arg1 & 3] = count(); self->s = 0; }' "$TARGETS/cramped 300 3"
d -x fpidfull=wait -qn 'self string s; '"$cramped"':entry /self->s != 0/ { @[self->s] = count(); } '"$cramped"':return { self->s = probename; }' -c "$TARGETS/cramped 300 1"
ends 0 "assigned at a breakpoint"
is "assigned at a breakpoint" "$(echo $out)" "return 299"
finish
