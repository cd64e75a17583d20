# Probes of one instruction: entry before its offset, return after it, whatever the order of the clauses.
# needs: user
. tests/lib/lib.sh

need objdump
at() { # at FUNCTION INSTRUCTION: the offset of the first such instruction
	set -- $(objdump -d --no-show-raw-insn "$TARGETS/t" | awk -v f="<$1>:" -v i="^$2" '
		$2 == f { print $1; on = 1; next }
		/^$/ { on = 0 }
		on && $2 ~ i { sub(":", "", $1); print $1; exit }')
	[ $# != 2 ] || printf '%x\n' $((0x$2 - 0x$1))
}
names() {
	printf '%s\n' "$out" | grep -E '^(leaf|tail) ' | tr '\n' ';'
}

ret=$(at leaf ret)
[ -n "$ret" ] || skip "objdump shows no ret"
for order in "0 $ret entry return" "return entry $ret 0" "entry return 0 $ret"; do
	clauses=
	for name in $order; do
		clauses="$clauses pid\$target:a.out:leaf:$name { printf(\"leaf %s\n\", probename); }"
	done
	d -qn "$clauses" -c "$TARGETS/t 1 1 quiet"
	is "$order" "$(names)" "leaf entry;leaf 0;leaf $ret;leaf return;leaf entry;leaf 0;leaf $ret;leaf return;"
done
jump=$(at tail jmp)
[ -n "$jump" ] || finish
for order in "return $jump" "$jump return"; do
	clauses=
	for name in $order; do
		clauses="$clauses pid\$target:a.out:tail:$name { printf(\"tail %s\n\", probename); }"
	done
	d -qn "$clauses" -c "$TARGETS/t 1 1 quiet"
	is "$order" "$(names)" "tail $jump;tail return;"
done
finish
