# A 64-bit program that calls 32-bit code of its own lives: probes which that comes to are taken out and
# told, all others count.
# needs: user
. tests/lib/lib.sh
need gcc

cat >"$TMP/mode.S" <<'EOF'
	.globl go32
	.type go32, @function
go32:
	push %rbx
	push %rbp
	mov %rsp, saved
	mov $0x2b, %eax		# a data segment for 32-bit code
	mov %eax, %ds
	mov %eax, %es
	mov $stack_end, %esp
	lcall *far
	mov saved, %rsp
	pop %rbp
	pop %rbx
	ret
	.size go32, . - go32
	.code32
	.globl f32
	.type f32, @function
f32:
	inc %eax		# a prefix in 64-bit code
	incl in_f
	push %ebx
	call g32
	pop %ebx
	lret
	.size f32, . - f32
	.globl g32
	.type g32, @function
g32:
	push %ebp
	mov %esp, %ebp
	incl in_g
	pop %ebp
	ret
	.size g32, . - g32
	.data
far:	.long f32
	.short 0x23		# the kernel's segment of 32-bit code
	.balign 8
saved:	.quad 0
	.globl in_f, in_g
in_f:	.long 0
in_g:	.long 0
	.bss
	.skip 4096
stack_end:
	.section .note.GNU-stack, "", @progbits
EOF
cat >"$TMP/p.c" <<'EOF'
#include <stdio.h>
extern int in_f, in_g;
void go32(void);
int n64;
__attribute__((noipa)) void f64(void) { n64++; }
int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		getchar();
	for (int i = 0; i < 100; i++) {
		go32();
		f64();
	}
	printf("%d %d %d\n", in_f, in_g, n64);
}
EOF
gcc -no-pie -O1 "$TMP/p.c" "$TMP/mode.S" -o "$TMP/p" || fail "no program"
[ "$("$TMP/p" 2>&1)" = "100 100 100" ] || skip "no 32-bit code here"

told="dtrace: pid * executes 32-bit code (at 0x* first): probes that it comes to there are taken out, as they are made for 64-bit code"
for what in f32:entry g32:entry g32:return f32: '*32:'; do
	d -qn "pid\$target:a.out:$what,pid\$target:a.out:f64:entry { @[probefunc, probename] = count(); }" \
		-c "$TMP/p" -o "$TMP/agg"
	ends 0 "$what"
	is "$what: output" "$out" "100 100 100"
	# read as 64-bit code its last instruction is a far return, which no probe is made for
	err=$(printf '%s\n' "$err" | grep -v 'left out.*: it is a far ')
	like "$what: told" "$err" "$told"
	is "$what: told once" "$(printf '%s\n' "$err" | wc -l)" 1
	is "$what: 64-bit code" "$(awk '$1 == "f64" { print $3 }' "$TMP/agg")" 100
	is "$what: 32-bit code" "$(grep -c '[fg]32' "$TMP/agg")" 0
	rm -f "$TMP/agg"
done

mkfifo "$TMP/go"
"$TMP/p" wait <"$TMP/go" >"$TMP/said" &
pid=$!
exec 3>"$TMP/go"
d -qn "pid$pid:a.out:*32:entry,pid$pid:a.out:f64:entry { @[probefunc] = count(); }
	BEGIN { system(\"echo >&3\"); }" -w -p "$pid" -o "$TMP/agg"
exec 3>&-
ends 0 "attached"
wait "$pid"
is "attached: exit status" $? 0
is "attached: output" "$(cat "$TMP/said")" "100 100 100"
is "attached: counts" "$(awk 'NF { print $1, $2 }' "$TMP/agg" | sort | tr '\n' ' ')" "f64 100 go32 100 "
like "attached: told" "$err" "$told"
finish
