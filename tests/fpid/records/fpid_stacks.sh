# Stacks recorded in the target are those that a stopped thread shows: every shape, every frame.
# needs: user
# timeout: 180
. tests/lib/lib.sh

# stacks PROV CLAUSE COMMAND: the aggregation's entries, each on one line, sorted
stacks() {
	rm -f "$TMP/raw"
	d -x fpidfull=wait -x aggsize=64m -n "$(printf '%s' "$2" | sed "s/PROV/$1/g")" -o "$TMP/raw" -c "$3"
	awk 'NF == 0 { next } { printf "%s ", $0 } NF == 1 && $1 ~ /^[0-9]+$/ { print "" }' "$TMP/raw" | tr -s " " | sed 's/`0x[0-9a-f]*/`ADDRESS/g' | sort
}
same() { # same WHAT CLAUSE COMMAND
	stacks pid "$2" "$3" >"$TMP/want"
	ends 0 "$1 by breakpoints"
	stacks fpid "$2" "$3" >"$TMP/got"
	ends 0 "$1 by records"
	like "$1: hooked" "$err" "*fpid: *[1-9]* hooked*"
	case $err in *"cut off"*) fail "$1: $err" ;; esac
	[ -s "$TMP/want" ] || fail "$1: no stacks"
	diff "$TMP/want" "$TMP/got" >"$TMP/diff" || fail "$1: (< breakpoints, > records)
$(head -20 "$TMP/diff")"
}

same "every shape" 'PROV$target:a.out::entry { @[ustack(60)] = count(); }' "$TARGETS/stacks 3 30"
same "at returns" 'PROV$target:a.out::return { @[ustack(60)] = count(); }' "$TARGETS/stacks 2 12"
same "in the C library" 'PROV$target:libc.so.6:malloc:entry { @[ustack(100)] = sum(arg0); }' "$TARGETS/stacks 5"
same "threads" 'PROV$target:a.out:leaf:entry, PROV$target:a.out:hidden:entry { @[ustack(8)] = sum(arg0); }' "$TARGETS/t 3000 6 quiet"
same "few frames" 'PROV$target:a.out:recurse:entry { @[ustack(3)] = count(); @u[ustack()] = count(); }' "$TARGETS/t 300 2 quiet"
same "depth and caller" 'PROV$target:a.out:recurse:entry { @[ustackdepth] = count(); @c[ufunc(ucaller)] = count(); }' "$TARGETS/t 300 2 quiet"
if command -v python3 >/dev/null; then
	same "python" 'PROV$target:libc.so.6:malloc:entry { @[ustack(30)] = sum(arg0); }' \
		"python3 -S -E -c 'print({i: [i] * 10 for i in range(1000)})'"
fi

# one line per call, in the order of the calls, each with its own stack
d -x fpidfull=wait -qn 'fpid$target:a.out:recurse:entry { printf("%d %d\n", arg0, ustackdepth); }' -c "$TARGETS/t 1000 1 quiet"
ends 0 "order"
echo "$out" | awk '$1 == 9 { base = $2 } $2 != base + 9 - $1 { bad = 1 } END { exit bad || NR != 100 }' || fail "order: $out"
finish
