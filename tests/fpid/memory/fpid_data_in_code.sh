# Functions with data between their instructions, as ghc makes them: they are hooked where control
# comes to them, and what only a kept address leads to is seen, too.
# needs: user
. tests/lib/lib.sh
need cc

cat >"$TMP/mixed.c" <<'END'
#include <stdio.h>
long tables(long), again(long), lies(long);
__asm__(".text\n"
	".globl tables\n.type tables, @function\n"
	"tables: test %rdi, %rdi\n"
	"	je 1f\n"
	"	lea 2f(%rip), %rax\n"
	"	jmp *%rax\n"
	"	.quad 0x0606060606060606\n"
	"1:	xor %eax, %eax\n"
	"	ret\n"
	"	.quad 0x0606060606060606\n"
	"2:	mov $7, %eax\n"
	"	ret\n"
	".size tables, . - tables\n"

	/* what lies behind its data jumps into its first five bytes */
	".globl again\n.type again, @function\n"
	"again:	mov %rdi, %rax\n"
	"	dec %rax\n"
	"	lea 3f(%rip), %rdx\n"
	"	jmp *%rdx\n"
	"	.quad 0x0606060606060606\n"
	"3:	test %rax, %rax\n"
	"	jg again + 3\n"
	"	ret\n"
	".size again, . - again\n"

	/* nothing says so: its first instructions run into data */
	".globl lies\n.type lies, @function\n"
	"lies:	lea 1(%rdi), %rax\n"
	"	test %rdi, %rdi\n"
	"	jns 4f\n"
	"	.quad 0x0606060606060606\n"
	"4:	ret\n"
	".size lies, . - lies\n");
int main(void)
{
	long sum = 0;

	for (long i = 0; i < 1000; i++)
		sum += tables(i & 1) + again(i & 7) + lies(i);
	printf("%ld\n", sum);
}
END
for pie in -no-pie -pie; do
	cc -O1 $pie -fPIE -o "$TMP/mixed" "$TMP/mixed.c" || fail "cc"
	"$TMP/mixed" >"$TMP/want"
	for clause in '@[probefunc] = count();' '@[probefunc] = sum(arg0 >= 0);'; do
		rm -f "$TMP/counts"
		d -n "fpid\$target:a.out:tables:entry, fpid\$target:a.out:again:entry, fpid\$target:a.out:lies:entry { $clause }" -o "$TMP/counts" -c "$TMP/mixed"
		ends 0 "$pie"
		is "$pie: output" "$out" "$(cat "$TMP/want")"
		is "$pie: counts" "$(counts "$TMP/counts")" "again 1000
lies 1000
tables 1000"
		like "$pie: tables is hooked, the others are not" "$err" "*fpid: 3 functions: 1 hooked, 2 by breakpoint*"
	done
done
# ghc's own
if command -v ghc >/dev/null; then
	cat >"$TMP/h.hs" <<-'END'
		import qualified Data.Map as M
		main :: IO ()
		main = do
		  let m = M.fromListWith (+) [(x `mod` 97, x) | x <- [1..2000::Int]]
		  print (M.foldr (+) 0 m, M.size m)
	END
	(cd "$TMP" && ghc -O1 -o h h.hs >log 2>&1) || fail "ghc: $(cat "$TMP/log")"
	d -n 'fpid$target:a.out::entry { @ = count(); }' -c "$TMP/h"
	ends 0 "ghc"
	like "ghc" "$out" "*(2001000,97)*"
	set -- $(printf '%s' "$err" | sed -n 's/.*fpid: [0-9]* functions: \([0-9]*\) hooked, \([0-9]*\) by.*/\1 \2/p')
	[ "${1:-0}" -gt $((${2:-1} * 50)) ] || fail "ghc: $err"
fi
exit $failed
