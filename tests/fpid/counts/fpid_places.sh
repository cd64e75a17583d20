# Where each clause runs is told with -v: why it makes records, and how to write it so that it makes none;
# drop messages say the same.
# needs: user
# timeout: 60
. tests/lib/lib.sh

leaf='fpid$target:a.out:leaf:entry'
ACT='aggregate (@[keys] = ...), or let the predicate say which hits are to be seen'
TEXTS='numbers, and texts that are constants or names of the probe'

# place CLAUSE EXPECTED [OPTION...]: EXPECTED empty: it runs in the target
place() {
	clause=$1 want=$2
	shift 2
	d "$@" -v -n "$leaf $clause" -o /dev/null -c "$TARGETS/t 3 1 quiet"
	ends 0 "$clause"
	is "$clause" "$(echo "$err" | sed -n 's/.*makes records\(.*\): the clause of fpid[0-9]*:a.out:leaf:entry at line [01]: /\1/p')" "$want"
}

place '{ @[arg0] = count(); }' ''
place '/arg0/ { self->t = timestamp; n++; @[arg0 > 5 ? "a" : probefunc, ustack()] = stddev(arg0); }' ''
place '{ @ = count(); }' ''
place '{ printf("%d", arg0); }' "printf() makes a record; instead: $ACT"
place '/arg0 > 5/ { trace(arg0); }' " of what its predicate lets throughtrace() makes a record; instead: $ACT"
place '{ }' "it makes a record; instead: $ACT"
place '/vtimestamp > 5/ { self->v = vtimestamp; @[vtimestamp] = count(); }' ''
place '{ @[errno, stackdepth] = count(); }' ''
place '{ @[ustackdepth] = count(); }' 'ustackdepth is read'
place '{ @[strlen(arg0 ? "a" : "bc")] = count(); }' "strlen() is called; instead: $TEXTS"
place '{ a[arg0 ? "x" : "y"] = 1; }' 'the array a is used by clauses that run elsewhere, or its keys are neither numbers nor texts that are known or read there; instead: self->x[], or an aggregation'
place '{ n = arg0; } END { trace(n); }' ''
place '{ n = arg0; } pid$target:a.out:leaf:return { n = 1; }' 'the variable n of all threads is no number, or is used by clauses that run elsewhere; instead: self->x, this->x, or an aggregation'
place '/10 / arg0 > 1/ { @ = sum(1 % arg0); self->x = arg0 / -1; }' ''
place '{ n = arg0; this->by = n; @ = sum(1 / this->by); }' ''
BY='it divides by what may be 0, and assigns or reads elements or variables of all threads with it; instead: divide by this->x, which is assigned before'
place '{ n = arg0; @ = sum(1 / n); }' "$BY"
place '{ self->x[arg0] = arg1; @ = sum(1 / self->x[arg0]); }' "$BY"
place '{ if (arg0) @ = sum(1 / arg0); }' "other clauses of its probe make records; instead: $ACT
it may fault behind what it assigns, or in a part of an if; instead: assign it behind that, in a clause without if"
place '{ @ = quantize(arg0, 2); }' 'an aggregation has an increment'
place '{ @[arg0, arg1, arg2, arg3, arg4, arg5, arg6, tid] = count(); }' 'an aggregation has more than seven keys that change'
place '{ @[arg0] = count(); }' '-x claim=off says so' -x claim=off
place '{ @[arg0] = count(); }' '-x cpu asks which CPU each hit is from' -x cpu=0
place '{ @[arg0] = count(); }' '-x follow: children have no tables' -x follow

# -lv says it of a probe, before anything runs
listed() {
	rm -f "$TMP/list"
	d -lvn "$1" -o "$TMP/list" -c "$TARGETS/$2"
	ends 0 "-lv $1"
	is "-lv $1" "$(sed -n '/^.Clauses$/,/^$/p' "$TMP/list" | sed -n 's/^..line/line/p')" "$3"
}
listed "$leaf { @[arg0] = count(); }" t 'line 1: runs in the target'
listed "$leaf { @ = count(); }" t 'line 1: is counted in the target'
listed "$leaf { printf(\"%d\", arg0); }" t "line 1: makes records: printf() makes a record; instead: $ACT"
listed 'fpid$target:a.out:cramped:return { @ = count(); }' cramped 'line 1: runs at breakpoints: a return has no room for a jump'
listed 'pid$target:a.out:leaf:entry { @ = count(); }' t 'line 1: runs at breakpoints; instead: -x pidhooks, or fpid, where hooks can do it'
listed "$leaf" t ''

d -x fpidbuf=4k -n "$leaf"' { printf("%d", arg0); }' -o /dev/null -c "$TARGETS/t 30000 1 quiet"
ends 0 "drops"
echo "$err" | grep -Fq ":t:leaf:entry: 33000 hits found the ring of their thread full (-x fpidbuf, -x fpidfull=wait); the clause at line 1 makes records because printf() makes a record; instead: $ACT" ||
	fail "drops: $err"
finish
