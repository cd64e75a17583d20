# All functions of a large program, and their returns, are more than 250,000 probes; so many instructions of pid are a slip
# of the finger.
. tests/lib/lib.sh

cat >"$TMP/many.s" <<'S'
.text
.altmacro
.macro function n
	.globl f\n
	.type f\n, @function
f\n:	mov $\n, %eax
	ret
	.size f\n, . - f\n
	.p2align 4
.endm
.set n, 0
.rept 126000
	function %n
	.set n, n + 1
.endr
.globl main
.type main, @function
main:	call f7
	call f125999
	xor %eax, %eax
	ret
.size main, . - main
.section .note.GNU-stack
S
"${CC:-cc}" -o "$TMP/many" "$TMP/many.s" || skip "the assembler cannot make it"

d -qn 'fpid$target:a.out:f*:entry, fpid$target:a.out:f*:return { @[probefunc, probename] = count(); }
	END { printf("%d\n", 1); }' -c "$TMP/many"
ends 0 "more than 250,000 probes"
is "those that are called are counted" "$(echo "$out" | awk 'NF == 3 { print $1, $2, $3 }' | sort)" "f125999 entry 1
f125999 return 1
f7 entry 1
f7 return 1"

d -qn 'pid$target:a.out:: { @ = count(); }' -c "$TMP/many"
ends 1 "more than 250,000 instructions"
like "so many instructions" "$err" "*more than 250000 pid probes*"
finish
