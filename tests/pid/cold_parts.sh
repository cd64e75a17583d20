# What a compiler has moved out of a function (.cold) is a part of it: a jump there and back is no return, and
# its returns are the function's. pid and fpid agree, with the program as well, with and without symbols.
# needs: user
. tests/lib/lib.sh

cat >"$TMP/p.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
static long calls, backs;
__attribute__((cold, noinline)) void rare(long x) { __asm__ volatile("" : : "r"(x)); backs++; }
/* its cold part goes back */
__attribute__((noinline)) long comes_back(long x)
{
	long v[8];
	calls++;
	__asm__ volatile("" : : "r"(v) : "memory", "rbx", "r12");
	if (__builtin_expect(x % 7 == 3, 0)) {
		rare(x);
		rare(x + 1);
		v[0] = 3;
		__asm__ volatile("" : : "r"(v) : "memory");
	}
	__asm__ volatile("" : : "r"(v) : "memory");
	return x * 3;
}
/* its cold part returns */
__attribute__((noinline)) long returns_there(long x)
{
	long v[8];
	__asm__ volatile("" : : "r"(v) : "memory", "rbx", "r12");
	if (__builtin_expect(x % 5 == 1, 0)) {
		rare(x);
		__asm__ volatile("" : : "r"(v) : "memory");
		rare(2 * x);
		return -1;
	}
	__asm__ volatile("" : : "r"(v) : "memory");
	return x;
}
/* its cold part has no frame and jumps on */
__attribute__((noinline)) void leaves_there(long x)
{
	if (__builtin_expect(x % 11 == 1, 0)) {
		backs += 2;
		rare(x);
		return;
	}
	calls++;
}
int main(void)
{
	long s = 0;
	for (long i = 0; i < 1000; i++) { s += comes_back(i) + returns_there(i); leaves_there(i); }
	printf("%ld %ld %ld\n", s, calls, backs);
	return 0;
}
C

gcc -O2 -fno-plt -o "$TMP/p" "$TMP/p.c" || skip "no compiler"
nm "$TMP/p" | grep -q 'comes_back\.cold' || skip "the compiler makes no .cold parts"
want="comes_back 1000
leaves_there 1000
main 1
rare 777
returns_there 1000"
for prov in pid fpid; do
	for probe in entry return; do
		d -qn "$prov"'$target:a.out::'$probe' { @[probefunc] = count(); } END { printa("%s %@d\n", @); }' -o "$TMP/agg" -c "$TMP/p"
		ends 0 "$prov $probe"
		is "$prov $probe: output" "$out" "1898100 1909 959"
		is "$prov $probe" "$(grep -v -e _start -e '^$' "$TMP/agg" | sort)" "$want"
		rm -f "$TMP/agg"
	done
	# where it returns: in the part, as far from the function as that is
	d -qn "$prov"'$target:a.out:leaves_there:return { @[arg0 < 0 || arg0 > 4096 ? "part" : "itself"] = count(); }
		END { printa("%s %@d\n", @); }' -o "$TMP/agg" -c "$TMP/p"
	is "$prov: where" "$(grep . "$TMP/agg" | sort)" "itself 909
part 91"
	rm -f "$TMP/agg"
done

# by its own name it can still be probed
d -qn 'pid$target:a.out:leaves_there.cold:entry { @ = count(); } END { printa("%@d", @); }' -o "$TMP/agg" -c "$TMP/p"
is "by name" "$(cat "$TMP/agg")" 91
rm -f "$TMP/agg"

# without symbols: what begins within a frame is no function, and each call still has one return
strip "$TMP/p"
for prov in pid fpid; do
	d -qn "$prov"'$target:a.out::entry { @ = count(); } '"$prov"'$target:a.out::return { @r[probefunc] = count(); }
		END { printa("%s %@d\n", @r); }' -o "$TMP/agg" -c "$TMP/p"
	ends 0 "$prov, stripped"
	is "$prov, stripped: output" "$out" "1898100 1909 959"
	is "$prov, stripped" "$(awk 'NF == 2 { print $2 }' "$TMP/agg" | sort -n | tr '\n' ' ')" "1 91 777 1000 1000 1000 "
	rm -f "$TMP/agg"
done
# a part without a name and a frame, which its function jumps to the beginning and the middle of: neither has the
# other's returns, and both are hooks
cat >"$TMP/q.c" <<'C'
#include <stdio.h>
long bends(long x);
__asm__(".text\n.globl bends\n.type bends, @function\nbends:\n.cfi_startproc\n"
	"mov %rdi, %rax\n cmp $7, %rdi\n je .Lcold\n .Lback: add $3, %rax\n cmp $9, %rdi\n je .Lmore\n"
	".Lend: test %rax, %rax\n js .Lneg\n ret\n .Lneg: neg %rax\n ret\n.cfi_endproc\n.size bends, .-bends\n"
	".p2align 4\n.Lcold: .cfi_startproc\n add $100, %rax\n jmp .Lback\n .Lmore: add $200, %rax\n jmp .Lend\n.cfi_endproc\n");
int main(void)
{
	long s = 0;
	for (long i = 0; i < 1000; i++)
		s += bends(i % 10);
	printf("%ld\n", s);
	return 0;
}
C
gcc -O1 -o "$TMP/q" "$TMP/q.c" || skip "no compiler"
strip "$TMP/q"
for prov in pid fpid; do
	d -v -n "$prov"'$target:a.out::entry,'"$prov"'$target:a.out::return { @[probename, probefunc] = count(); }' -c "$TMP/q" -o "$TMP/agg"
	ends 0 "$prov: a part that is begun and entered"
	# main and what it calls; the part is begun 100 times, and left 200 times
	is "$prov: entries" "$(awk '$1 == "entry" { print $3 }' "$TMP/agg" | sort -n | tail -2 | xargs)" "100 1000"
	is "$prov: returns" "$(awk '$1 == "return" { print $3 }' "$TMP/agg" | sort -n | tail -2 | xargs)" "200 1000"
	[ $prov = pid ] || like "all are hooks" "$err" "*hooked, 0 by breakpoint*"
	rm -f "$TMP/agg"
done
finish
