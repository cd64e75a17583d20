# Rust: an enum with values shows the one it holds; what Rust promises nothing about is refused.
# needs: any
. tests/lib/lib.sh
need rustc

cat >"$TMP/r.rs" <<'END'
// not std::hint's, which is younger than Rust 1.63
#[inline(never)]
fn black_box<T>(x: T) -> T { let y = unsafe { std::ptr::read_volatile(&x) }; std::mem::forget(x); y }
pub enum Shape { Circle(f64), Rect { w: u32, h: u32 }, Unit, Named(Box<i32>) }
pub enum One { Only(i32) }
#[repr(u8)]
pub enum Tagged { A(u8) = 3, B(i64) = 200 }
pub enum Plain { P = 1, Q = 7 }
pub struct Big { a: [u64; 4] }
#[inline(never)]
pub fn see(a: &Shape, b: &Option<i32>, c: &Option<&i32>, d: &One, e: &Tagged, f: &Plain) {
	black_box((a, b, c, d, e, f));
}
#[inline(never)]
pub fn large(n: u64) -> Big { black_box(Big { a: [n; 4] }) }
fn main() {
	let x = 9;
	see(&Shape::Rect { w: 3, h: 4 }, &Some(5), &Some(&x), &One::Only(7), &Tagged::B(8), &Plain::Q);
	see(&Shape::Circle(1.5), &None, &None, &One::Only(7), &Tagged::A(65), &Plain::P);
	see(&Shape::Unit, &None, &None, &One::Only(7), &Tagged::A(65), &Plain::P);
	see(&Shape::Named(Box::new(6)), &None, &None, &One::Only(7), &Tagged::A(65), &Plain::P);
	black_box(large(1).a[0]);
}
END
if ! rustc -g -o "$TMP/r" "$TMP/r.rs" >"$TMP/rustc" 2>&1; then # numbers of variants with values are younger than Rust 1.63
	sed -i "s/A(u8) = 3, B(i64) = 200/A(u8), B(i64)/" "$TMP/r.rs"
	rustc -g -o "$TMP/r" "$TMP/r.rs" >"$TMP/rustc" 2>&1 || fail "rustc: $(cat "$TMP/rustc")"
fi

d -qn 'pid$target:a.out:r::see:entry { printf("\n"); print(*args[0]); }' -c "$TMP/r"
ends 0 "an enum"
is "an enum" "$(echo "$out" | sed 's/0x[0-9a-f]\{6,\}/ADDR/')" "
struct Shape {
    struct Rect Rect = {
        unsigned int w = 0x3
        unsigned int h = 0x4
    }
}
struct Shape {
    struct Circle Circle = {
        double __0 = +1.5000000e+00
    }
}
struct Shape {
    struct Unit Unit = {
    }
}
struct Shape {
    struct Named Named = {
        int *__0 = ADDR
    }
}"
d -qn 'pid$target:a.out:r::see:entry /n++ < 2/ { print(*args[1]); print(*args[2]); print(*args[3]); print(*args[4]); print(*args[5]); }' \
	-c "$TMP/r"
is "by a niche, one alone, a tag of its own, no values" "$(echo "$out" | sed 's/0x[0-9a-f]\{6,\}/ADDR/' | tr -d '\n ')" \
	"structOption<i32>{structSomeSome={int__0=0x5}}structOption<&i32>{structSomeSome={int*__0=ADDR}}\
structOne{structOnlyOnly={int__0=0x7}}structTagged{structBB={long__0=0x8}}enumPlainQ\
structOption<i32>{structNoneNone={}}structOption<&i32>{structNoneNone={}}\
structOne{structOnlyOnly={int__0=0x7}}structTagged{structAA={unsignedchar__0='A'}}enumPlainP"
d -qn 'pid$target:a.out:r::see:entry /!n++/ { print(args[0]); printf("%d", args[0]->Rect.h); }' -c "$TMP/r"
is "as an initialiser" "$(echo "$out" | sed 's/^0x[0-9a-f]*/ADDR/' | tr -d '\n ')" \
	"ADDR=*(structShape){.Rect=(structRect){.w=(unsignedint)3,.h=(unsignedint)4,},}4"
d -qn 'pid$target:a.out:r::large:return { print(args[1]); }' -c "$TMP/r"
ends 1 "a result in memory"
like "a result in memory" "$err" '*args\[1\] of *:r::large:return is of type "struct Big": Rust does not say where it has put it*'
finish
