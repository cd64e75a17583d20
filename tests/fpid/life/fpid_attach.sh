# Hooks in processes that run already: exact counts, several at once, libraries that come later, and
# nothing of it is left behind: code and mappings are what they were. ATTACH_ROUNDS (40) times under load.
# needs: user
# timeout: 900
. tests/lib/lib.sh
. tests/lib/attach.sh

maps_of() {
	awk '{ print $1, $2, $6 }' "/proc/$1/maps"
}

as_found() { # as_found WHAT
	"$TARGETS/textcheck" "$target" >"$TMP/text" || fail "$1: $(head -3 "$TMP/text")"
	maps_of "$target" >"$TMP/maps"
	cmp -s "$TMP/maps.before" "$TMP/maps" || fail "$1: mappings differ: $(diff "$TMP/maps.before" "$TMP/maps") $err"
}

hooked() { # until the hooks are there, which BEGIN does not wait for
	waits_for "$TMP/err" 'fpid: .* hooked' "hooks"
}

start_waits 8
tell run 10
waits_for "$TMP/said" 'calls 80$' "the first round"
maps_of "$target" >"$TMP/maps.before"

# what the program counts itself, with every function of it hooked
trace -x fpidfallback=none -n 'fpid$target:::entry { @[probefunc] = count(); }' -p "$target"
hooked
tell run 100000
waits_for "$TMP/said" 'calls 800080' "the traced round"
end_trace
ends 0 "counting"
is "calls" "$(echo "$out" | awk '$1 == "count_me" { print $2 }')" 800000
like "hooked" "$err" "*fpid: * functions: * hooked, 0 by breakpoint*"
as_found "after counting"

# two processes in one program, one of them launched
trace -n 'fpid'"$target"':a.out:count_me:entry { @a = count(); }
	fpid$target:a.out:leaf:entry { @b = count(); }' -c "$TARGETS/t 20000 4"
hooked
tell run 1000
waits_for "$TMP/said" 'calls 808080' "the round of two"
trace_ends
leaf=$(echo "$out" | awk '$1 == "leaf" { print $2 }')
like "two processes" "$(echo $out)" "* $leaf"
as_found "after two"

# under load, again and again
tell spin
n=0
while [ $n -lt "${ATTACH_ROUNDS-40}" ] && [ $failed = 0 ]; do
	n=$((n + 1))
	case $((n % 10)) in
	2 | 6) clauses='fpid$target:::entry, fpid$target:::return { @[probename] = count(); }' ;;
	4) clauses='self long n; fpid$target:a.out::entry { self->n = self->n + 1; @ = quantize(self->n); }
		fpid$target:a.out::return { @c[arg0 & 15] = count(); }' ;;
	8) clauses='fpid$target:a.out::return { @[ustack(4)] = count(); }' ;;
	*) clauses='fpid$target:::entry { @[probemod] = count(); }' ;;
	esac
	d -n "$clauses"' tick-10ms { exit(0); }' -x fpidfallback=none -p "$target"
	ends 0 "round $n"
	like "round $n" "$err" "*fpid: *[1-9]* hooked, *"
	as_found "round $n"
done
unharmed "$target" "after $n rounds"
tell halt
waits_for "$TMP/said" 'calls [0-9]*' "the end of the work"

# a library that comes while other threads run
tell spin
trace -x fpidfallback=none -n 'BEGIN { printf("armed\n"); } fpid$target:libz*::entry { @["libz"] = count(); }' -Z -p "$target"
traced
zlib=$(ldconfig -p | awk '/libz.so.1 .*x86-64/ { print $NF; exit }')
if [ -n "$zlib" ]; then
	tell load "$zlib"
	waits_for "$TMP/said" 'loaded' "the library"
	waits_for "$TMP/err" 'hooked' "its hooks"
fi
end_trace
[ -z "$zlib" ] || like "a library later" "$err" "*fpid: * hooked, 0 by breakpoint*"
"$TARGETS/textcheck" "$target" >"$TMP/text" || fail "after a library: $(head -3 "$TMP/text")"
tell quit
target_ends
finish
