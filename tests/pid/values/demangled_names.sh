# Names of C++ and Rust: demangled in stacks and symbols, mangled in probefunc, and descriptions
# take both: `?` and `*` stand for what a specifier cannot hold.
# needs: user
. tests/lib/lib.sh
need g++

cat >"$TMP/w.cc" <<'END'
#include <cstdio>
#define KEEP __attribute__((noinline, noclone))
namespace shop {
struct Widget {
	int n;
	KEEP Widget(int v) : n(v) { __asm__ volatile(""); }
	KEEP int paint(const char *what, int times) { __asm__ volatile(""); return n + times + *what; }
};
template <typename T> KEEP T twice(T v) { __asm__ volatile(""); return v + v; }
}
KEEP int plain(int x) { __asm__ volatile(""); return x + 1; }
KEEP int plain(long x) { __asm__ volatile(""); return (int)x + 2; }
int main()
{
	int sum = 0;
	for (int i = 0; i < 5; i++) {
		shop::Widget w(i);
		sum += w.paint("x", i) + shop::twice(i) + plain(i) + plain((long)i);
	}
	return sum == 0;
}
END
g++ -O1 -o "$TMP/w" "$TMP/w.cc" || fail "cannot build"

count() { # count WHAT FUNC EXPECTED
	d -qn 'pid$target:a.out:'"$2"':entry { @[probefunc] = count(); }' -c "$TMP/w"
	ends 0 "$1"
	is "$1" "$(echo "$out" | awk 'NF == 2 { print $1, $2 }' | sort | tr '\n' ';')" "$3"
}
count "by the mangled name" _ZN4shop5twiceIiEET_S1_ '_ZN4shop5twiceIiEET_S1_ 5;'
count "by a pattern of the demangled name" 'shop??Widget*' '_ZN4shop6Widget5paintEPKci 5;_ZN4shop6WidgetC1Ei 5;'
count "with its parameters" 'shop??Widget??paint?char*int?' '_ZN4shop6Widget5paintEPKci 5;'
count "as it is written" shop::Widget::paint '_ZN4shop6Widget5paintEPKci 5;'
count "a pattern of it" 'shop::W*::p*' '_ZN4shop6Widget5paintEPKci 5;'
d -qf 'pid$target:a.out:shop::Widget::paint' -c "$TMP/w"
ends 0 "with -f"
for spec in 'pid$target:a.out:shop:twice:entry' 'pid$target:a.out:::twice:entry' 'pid$target:a.out:shop:::entry'; do
	d -qn "$spec" -c "$TMP/w"
	ends 1 "$spec"
	like "$spec" "$err" "*Overspecified probe description"
done
count "overloads by their common name" plain '_Z5plaini 5;_Z5plainl 5;'
d -qn 'pid$target:a.out:*paint*:entry /!n++/ { ustack(2); ufunc(uregs[R_PC]); }' -c "$TMP/w"
ends 0 "in a stack"
like "in a stack" "$(echo "$out" | tr -s ' \n' ' ')" ' w`shop::Widget::paint(char const\*, int) w`main+0x* w`shop::Widget::paint(char const\*, int)*'

if command -v rustc >/dev/null 2>&1; then
	cat >"$TMP/r.rs" <<-'END'
		#[inline(never)] fn opaque(n: u64) -> u64 { unsafe { std::ptr::read_volatile(&n) } }
		mod shop { #[inline(never)] pub fn paint(n: u64) -> u64 { super::opaque(n) + 1 } }
		fn main() { let mut s = 0; for i in 0..7 { s += shop::paint(i); } println!("{}", s); }
	END
	for scheme in legacy v0; do
		flags="-C symbol-mangling-version=$scheme"
		[ $scheme = legacy ] && flags=
		rustc -O $flags -o "$TMP/r" "$TMP/r.rs" >"$TMP/rustc" 2>&1 || fail "rustc, $scheme: $(cat "$TMP/rustc")"
		d -qn 'pid$target:a.out:r*??shop??paint:entry { @[ufunc(uregs[R_PC])] = count(); }' -c "$TMP/r"
		is "Rust, $scheme" "$(echo $out)" '28 r`r::shop::paint 7'
	done
fi
finish
