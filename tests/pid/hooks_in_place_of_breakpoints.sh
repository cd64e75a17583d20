# With -x pidhooks probes of pid are hooks, with the same names, arguments, counts and order, and breakpoints where that
# would make a difference.
# needs: user
. tests/lib/lib.sh

# both CLAUSES HOOKED: the same is printed with hooks and without; so many functions are hooked
both() {
	rm -f "$TMP/plain" "$TMP/hooked"
	d -qn "$1" -o "$TMP/plain" -c "$TARGETS/t 300 1 quiet"
	ends 0 "$1"
	d -x pidhooks -n "$1" -x quiet -o "$TMP/hooked" -c "$TARGETS/t 300 1 quiet"
	ends 0 "-x pidhooks: $1"
	d -x pidhooks -n "$1" -o /dev/null -c "$TARGETS/t 300 1 quiet"
	cmp -s "$TMP/plain" "$TMP/hooked" || fail "$1: (< breakpoints, > hooks)
$(diff "$TMP/plain" "$TMP/hooked" | head -20)"
	[ -s "$TMP/plain" ] || fail "$1: nothing"
	like "$1" "$err" "*fpid: * function*: $2 hooked, *"
}

both 'pid$target:t::entry { @[probefunc] = count(); } END { printa("%s %@d\n", @); }' '[1-9]*'
both 'pid$target:t:leaf:entry { printf("%s %d\n", probename, arg0); } pid$target:t:leaf:return { printf("%s %x %d\n", probename, arg0, arg1); }' 1
both 'pid$target:t:six:entry { @[arg0, arg5] = sum(arg1); self->x = arg0; } pid$target:t:six:return /self->x/ { @r = sum(self->x); self->x = 0; }' 1
both 'pid$target:t:leaf: { @[probename] = count(); }' 1
both 'pid$target:t:leaf:entry { @n = count(); } pid$target:t:branchy:entry /++n == 7/ { printa(@n); clear(@n); }' 2
both 'pid$target:t:leaf:entry { @s[ufunc(ucaller)] = count(); }' 1

# a run that a hit ends: as many calls as there were until then
for with in 0 1; do
	d -qx pidhooks=$with -n 'pid$target:t:leaf:entry { @ = count(); } pid$target:t:branchy:entry /++n == 7/ { exit(0); }' -c "$TARGETS/t 300 1 quiet"
	ends 0 "exit(), pidhooks=$with"
	echo $out >"$TMP/exit.$with"
done
is "exit()" "$(cat "$TMP/exit.1")" "$(cat "$TMP/exit.0")"

breakpoint() { # breakpoint CLAUSE WHY
	d -x pidhooks -x explain -n "pid\$target:t:leaf:entry { $1 }" -c "$TARGETS/t 300 1 quiet"
	ends 0 "$1"
	like "$1" "$err" "*explain: 1 probe of process *: breakpoints, *: $2 (such as entry of t\`leaf*"
}
breakpoint 'exit(0);' 'exit() ends the run while the thread stands still'
breakpoint '@[ustack()] = count();' 'stacks are walked while the thread stands still'
breakpoint '@ = sum(vtimestamp);' 'vtimestamp is read while the thread stands still'

d -x explain -n 'pid$target:t:leaf:entry { @ = count(); }' -c "$TARGETS/t 300 1 quiet"
like "what would be better" "$err" "*runs at breakpoints; instead: -x pidhooks, or fpid, where hooks can do it*"
d -x pidhooks -x follow -n 'pid$target:t:leaf:entry { @ = count(); }' -c "$TARGETS/t 300 1 quiet"
ends 0 "-x follow"
case $err in *fpid:*) fail "-x follow: $err" ;; esac
finish
