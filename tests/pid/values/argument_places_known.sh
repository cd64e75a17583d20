# args[] where the psABI alone would be wrong: parameters that the compiler has removed, and Rust.
# needs: user
. tests/lib/lib.sh

value() { # value FUNCTION N EXPECTED
	d -qn 'pid$target:a.out:'"$1"':entry { printf("%d;", args['"$2"']); }' -c "$TMP/p"
	case $3 in
	[0-9-]*)
		ends 0 "$1 $2"
		is "$1 $2" "$(echo $out)" "$3"
		;;
	*)
		ends 1 "$1 $2"
		like "$1 $2" "$err" "*: $3"
		;;
	esac
}

changed="the compiler has changed how this function is called"
if command -v clang >/dev/null 2>&1; then
	cat >"$TMP/p.c" <<-'END'
		int in = 7;
		__attribute__((noinline)) static int local(long a, int b, int c)
		{
			__asm__ volatile("" ::"r"(c), "r"(a));
			return (int)a + c;
		}
		__attribute__((noinline)) int global(int a, int b)
		{
			__asm__ volatile("" ::"r"(a));
			return b;
		}
		int main(void) { return local(5, in, 2 * in) + global(3, in) != 26; }
	END
	clang -g -O2 -o "$TMP/p" "$TMP/p.c" || fail "clang"
	value local 0 "$changed"
	value local 1 "$changed"
	value local 2 "14;"
	value global 0 "3;"
	value global 1 "7;"
fi

if command -v rustc >/dev/null 2>&1; then
	cat >"$TMP/p.rs" <<-'END'
		#[inline(never)] fn bb<T>(x: T) -> T { let y = unsafe { std::ptr::read_volatile(&x) }; std::mem::forget(x); y }
		pub struct Big { _a: u64, _b: u64, c: u64 }
		#[inline(never)] pub fn mixed(a: u8, x: f64, s: &str, b: i32) -> usize
			{ bb(a as usize + x as usize + s.len() + b as usize) }
		#[inline(never)] pub fn large(b: Big, unit: (), n: i64) -> u64
			{ bb(&unit); bb(b.c + n as u64) }
		#[inline(never)] pub fn option(o: Option<u32>, n: u32) -> u32 { bb(o.unwrap_or(1) + n) }
		fn main() {
			let n = mixed(bb(1), bb(2.5), bb("abcd"), bb(8)) as u64
				+ large(bb(Big { _a: 1, _b: 2, c: 3 }), (), bb(-1)) + option(bb(Some(5)), bb(6)) as u64;
			if n != 28 { panic!("{}", n) }
		}
	END
	rustc -g -o "$TMP/p" "$TMP/p.rs" || fail "rustc"
	value 'p??mixed' 0 "1;"
	value 'p??mixed' 3 "8;"
	value 'p??large' 2 "-1;"
	value 'p??large' 1 "it is empty"
	value 'p??option' 0 "Rust does not say how it passes this type"
	value 'p??option' 1 "it is not known how one before it is passed"
	d -qn 'pid$target:a.out:p??mixed:entry { printf("%g %d", args[1], args[2].length); }
		pid$target:a.out:p??large:entry { printf(" %d", args[0].c); }' -c "$TMP/p"
	ends 0 "Rust"
	is "structures of Rust" "$(echo $out)" "2.5 4 3"
fi
finish
