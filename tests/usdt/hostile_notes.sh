# Notes may say anything: addresses within instructions, in data or nowhere, semaphores in code, texts
# without end. Programs run on as they were; what cannot be probed is left out, and said.
# needs: user
. tests/lib/lib.sh
need gcc

cat >"$TMP/bad.c" <<'END'
#include <stdio.h>
#define NOTE(pc, sem, name, args) \
	".pushsection .note.stapsdt,\"\",\"note\"\n.balign 4\n.4byte 992f-991f, 994f-993f, 3\n" \
	"991: .asciz \"stapsdt\"\n992: .balign 4\n993: .8byte " pc ", 0, " sem "\n" \
	".asciz \"bad\"\n.asciz \"" name "\"\n.asciz \"" args "\"\n994: .balign 4\n.popsection\n"
int data = 5;
__attribute__((noinline)) int work(int x) {
	__asm__ volatile("990: movabs $0x9090909090909090, %rax\n"
		NOTE("990b+3", "0", "within", "4@%edi") NOTE("990b", "0", "fine", "4@%edi")
		NOTE("data", "0", "data", "") NOTE("0x10", "0", "nowhere", "") NOTE("0xffffffffffffff00", "0", "far", "")
		NOTE("990b", "work", "codesem", "") NOTE("990b", "0x10", "nosem", "")
		NOTE("990b", "0", "a:b*", "") NOTE("990b", "0", "", "")
		".pushsection .note.stapsdt,\"\",\"note\"\n.balign 4\n.4byte 8, 24, 3\n.asciz \"stapsdt\"\n.8byte 990b,0,0\n"
		".4byte 8, 0x7fffffff, 3\n.asciz \"stapsdt\"\n.popsection\n");
	return x + 1;
}
int main(void) { int s = 0; for (int i = 0; i < 10; i++) s = work(s); printf("%d\n", s); return 0; }
END
gcc -O1 -o "$TMP/bad" "$TMP/bad.c" || skip "the program does not assemble"
d -qn 'bad$target:::fine { @ = count(); } END { printa("%@d\n", @); }' -o "$TMP/agg" -c "$TMP/bad"
ends 0 "a good one beside them"
is "its firings" "$(grep . "$TMP/agg")" 10
is "the program" "$out" 10
d -ln 'bad$target:::' -c "$TMP/bad"
is "names" "$(echo "$out" | awk 'NR > 1 { print $NF }' | sort | tr '\n' ' ')" "codesem data far fine nosem nowhere within "
d -n 'bad$target::: { @[probename] = count(); } END { printa("%s %@d\n", @); }' -o "$TMP/agg2" -c "$TMP/bad"
ends 0 "all of them"
is "the program, all of them" "$out" 10
is "those that can be" "$(sed -n 's/^.*\([a-z]\{4\} [0-9][0-9]*\)$/\1/p' "$TMP/agg2")" "fine 10"
like "the others are counted" "$err" "*6 probes were left out, the first: failed to create probe bad*"
for name in within data nowhere far codesem nosem; do
	d -qn "bad\$target:::$name { @ = count(); }" -c "$TMP/bad"
	ends 1 "$name"
	like "$name" "$err" "dtrace: could not enable tracing: failed to create probe bad[0-9]*:bad:*:$name: *"
done
finish
