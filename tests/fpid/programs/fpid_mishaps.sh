# Faults at every place that a hook may have moved: the program's handlers see its own instructions and registers,
# and may go on anywhere; all calls are counted, once.
# needs: user
# timeout: 240
. tests/lib/lib.sh
. tests/lib/attach.sh

"$TARGETS/mishaps" once >"$TMP/free" || fail "the program alone: $(grep wrong "$TMP/free")"

# calls FILE, counted FILE: "FUNCTION CALLS" as the program says, and as entries of its functions were counted
calls() {
	awk 'NF == 2 && $2 ~ /^[0-9]+$/' "$1" | sort
}
counted() {
	awk 'NF == 3 && $2 == "entry" { print $1, $3 }' "$1" | grep -wF "$(calls "$TMP/free" | cut -d' ' -f1)" | sort
}

# as_untraced PROBES CLAUSE [OPTION...]
as_untraced() {
	probes=$1 clause=$2
	shift 2
	rm -f "$TMP/counts"
	d -qx fpidfull=wait -x aggsize=64m "$@" -n "$probes { $clause }" -o "$TMP/counts" -c "$TARGETS/mishaps once"
	ends 0 "$probes"
	is "$probes { $clause } $*" "$out" "$(cat "$TMP/free")"
}

for prov in pid fpid; do
	for name in entry ''; do
		as_untraced "$prov\$target:a.out::$name" '@[probefunc, probename] = count();'
		is "calls by $prov:::$name" "$(counted "$TMP/counts")" "$(calls "$TMP/free")"
	done
	as_untraced "$prov\$target:a.out::return" '@[probefunc, arg0 * 0] = count();'
	sort "$TMP/counts" >"$TMP/returns.$prov"
done
[ -s "$TMP/returns.pid" ] || fail "no returns"
cmp -s "$TMP/returns.pid" "$TMP/returns.fpid" || fail "returns: $(diff "$TMP/returns.pid" "$TMP/returns.fpid")"

for clause in '@s[probefunc] = sum(arg0 & 1);' '@t = max(timestamp); @x[copyinstr(arg0)] = count();' '@u[ustack()] = count();'; do
	as_untraced 'fpid$target:a.out::entry,fpid$target:a.out::return' "@[probefunc, probename] = count(); $clause"
	is "calls with $clause" "$(counted "$TMP/counts")" "$(calls "$TMP/free")"
done

# What is done at each instruction is code, or a record, that stands before those that fault.
as_untraced 'fpid$target:a.out::[0-9a-f]*' '@s[probefunc] = sum(arg0 & 1);'
as_untraced 'fpid$target:a.out::[0-9a-f]*' '@r[probename] = max(uregs[R_RAX]); @t = max(timestamp);'

# Only the functions themselves: no other breakpoint tells a call from an instruction that is made again.
for prov in pid fpid; do
	as_untraced "$prov\$target:a.out:first:entry" '@[probefunc, probename] = count();'
	is "first alone by $prov" "$(counted "$TMP/counts")" "$(calls "$TMP/free" | grep first)"
done
as_untraced 'fpid$target:a.out::entry' '@[probefunc, probename] = count();' -x fpidfallback=none

for what in 'pid$target:a.out::entry' 'fpid$target:a.out::entry' 'fpid$target:a.out::entry,fpid$target:a.out::return'; do
	rm -f "$TMP/counts"
	d -qn "$what { @[probefunc, probename] = count(); }" -o "$TMP/counts" -c "$TARGETS/mishaps threads 3"
	ends 0 "threads"
	is "threads, $what" "$(echo "$out" | tail -1)" right
	echo "$out" >"$TMP/said"
	is "calls in threads, $what" "$(counted "$TMP/counts")" "$(calls "$TMP/said")"
done

# Hooks and breakpoints come and go while it faults.
mkfifo "$TMP/tell"
"$TARGETS/mishaps" until <"$TMP/tell" >"$TMP/said" 2>&1 &
target=$!
exec 3>"$TMP/tell"
waits_for "$TMP/said" ready "the target"
for round in 1 2 3 4 5 6; do
	for what in 'fpid$target:a.out::entry' 'pid$target:a.out::' 'fpid$target:a.out::entry,fpid$target:a.out::return'; do
		d -qn "$what { @[probefunc] = count(); } tick-50ms { exit(0); }" -p $target
		ends 0 "attached, $what, round $round"
	done
done
exec 3>&-
wait $target || fail "attached: it ended with $?: $(grep wrong "$TMP/said" | head -5)"
target=
is "attached" "$(tail -1 "$TMP/said")" right
finish
