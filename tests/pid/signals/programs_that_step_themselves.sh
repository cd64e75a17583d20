# A program that sets the trap flag (a debugger of its own, an instruction counter) gets the trap of each of its
# instructions, and no other, whatever stands in its way: breakpoints that are emulated or crossed in slots, hooks.
# needs: user
# timeout: 240
. tests/lib/lib.sh

# calls FILE, counted FILE: "FUNCTION CALLS" as the program says, and as entries of its functions were counted
calls() {
	awk 'NF == 2 && $2 ~ /^[0-9]+$/' "$1" | sort
}
counted() {
	awk 'NF == 3 && $2 == "entry" { print $1, $3 }' "$1" | grep -wF "$(calls "$TMP/free" | cut -d' ' -f1)" | sort
}

steps() { # steps PROBES [ARG]: its words are those of an untraced run, and entries are counted once each
	"$TARGETS/steps" 1 ${2-} >"$TMP/free"
	rm -f "$TMP/counts"
	d -qn "$1 { @[probefunc, probename] = count(); }" -o "$TMP/counts" -c "$TARGETS/steps 1 ${2-}"
	ends 0 "$1 ${2-}"
	is "$1 ${2-}" "$out" "$(cat "$TMP/free")"
	case $1 in
	*return*) [ -s "$TMP/counts" ] || fail "$1: no returns" ;;
	*) is "calls by $1 ${2-}" "$(counted "$TMP/counts")" "$(calls "$TMP/free")" ;;
	esac
}

for prov in pid fpid; do
	for name in entry return; do
		steps "$prov\$target:a.out::$name"
		steps "$prov\$target:a.out::$name" defer
	done
done
steps 'fpid$target:a.out::entry,fpid$target:a.out::return'
# every instruction of what is stepped
rm -f "$TMP/counts"
"$TARGETS/steps" 1 >"$TMP/free"
d -qn 'pid$target:a.out:plain:,pid$target:a.out:pushes:,pid$target:a.out:branches:,pid$target:a.out:calls:,
	pid$target:a.out:moves:,pid$target:a.out:asks:,pid$target:a.out:flags:,pid$target:a.out:faults:,pid$target:a.out:step:,pid$target:a.out:traps:,
	pid$target:a.out:turns_on: { @[probefunc, probename] = count(); }' -o "$TMP/counts" -c "$TARGETS/steps 1"
ends 0 "instructions"
is "instructions" "$out" "$(cat "$TMP/free")"
is "calls by instructions" "$(counted "$TMP/counts")" "$(calls "$TMP/free")"
finish
