# An instruction that cannot be probed is refused with its reason, before anything runs; where it is one of
# many the others are probed, and it is said.
# needs: user
. tests/lib/lib.sh

need cc
cat >"$TMP/prog.c" <<'EOF'
#include <stdio.h>
asm(".globl traps\n.type traps,@function\ntraps: nop\njmp 1f\nint3\n1: int $0x80\nret\n.size traps,.-traps\n"
    ".globl odd\n.type odd,@function\nodd: .byte 0x06\nret\n.size odd,.-odd\n"
    ".globl stops\n.type stops,@function\nstops: int3\nret\n.size stops,.-stops\n"
    ".globl trap66\n.type trap66,@function\ntrap66: .byte 0x66\nint3\nret\n.size trap66,.-trap66\n"
    ".globl half\n.type half,@function\nhalf: nop\n.byte 0x06,0x06\nret\n.size half,.-half\n");
void stops(void);
int main(int argc, char **argv)
{
	puts("ran");
	fflush(stdout);
	if (argc > 1)
		stops();
	return 0;
}
EOF
cc -O1 -o "$TMP/prog" "$TMP/prog.c" || skip "cannot build"

refused() { # refused FUNCTION:NAME SENTENCE
	d -x errtags -n "pid\$target:a.out:$1 { }" -c "$TMP/prog"
	ends 1 "$1"
	is "$1" "$err" "dtrace: invalid probe specifier pid\$target:a.out:$1 { }: [D_PROC_CREATEFAIL] $2"
	is "$1: printed" "$out" ""
}
refused traps:4 "failed to create probe at 'traps+0x4': it is a software interrupt"
refused odd:entry "failed to create entry probe for 'odd': the instruction cannot be decoded"
refused trap66:entry "failed to create entry probe for 'trap66': it is a breakpoint instruction (int3) with prefixes"
refused half:1 "failed to create offset probes in 'half': its code cannot be decoded"

runs() { # runs FUNCTION:NAME MESSAGES
	d -n "pid\$target:a.out:$1 { }" -c "$TMP/prog"
	ends 0 "$1"
	is "$1" "$err" "dtrace: description 'pid\$target:a.out:$1 ' matched $2"
	like "$1: printed" "$out" "ran*"
}
runs half:entry "1 probe"
runs traps: "7 probes
dtrace: 1 probe was left out: failed to create probe at 'traps+0x4': it is a software interrupt"

# An int3 of the program's own has a probe; its trap does what it does untraced.
for prov in pid fpid; do
	d -n "$prov\$target:a.out:stops:entry { }" -c "$TMP/prog x"
	like "$prov: stops" "$out" "*ran*stops:entry*"
	like "$prov: stops" "$err" "*terminated by SIGTRAP*"
done
finish
