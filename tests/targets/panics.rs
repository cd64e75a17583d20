// panics: Rust panics through frames that are hooked, caught in the same thread and by join(). `./panics N`
// prints "goes_down CALLS RETURNS", "right" or "wrong" last. Ends with 0.
use std::panic;
use std::sync::atomic::{AtomicU64, Ordering};

static DROPPED: AtomicU64 = AtomicU64::new(0);

struct Guard;

impl Drop for Guard {
    fn drop(&mut self) {
        DROPPED.fetch_add(1, Ordering::SeqCst);
    }
}

#[no_mangle]
#[inline(never)]
pub extern "Rust" fn goes_down(depth: u64) -> u64 {
    let _guard = Guard;
    if depth == 0 {
        panic!("at the bottom");
    }
    // std::hint::black_box() is younger than Rust 1.63
    goes_down(depth - 1) + unsafe { std::ptr::read_volatile(&1) }
}

fn main() {
    let n: u64 = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(10);
    let mut right = true;
    panic::set_hook(Box::new(|_| {}));
    for _ in 0..n {
        right &= panic::catch_unwind(|| goes_down(50)).is_err();
        right &= std::thread::spawn(|| goes_down(3)).join().is_err();
    }
    right &= DROPPED.load(Ordering::SeqCst) == 55 * n;
    println!("goes_down {} 0", 55 * n);
    println!("{}", if right { "right" } else { "wrong" });
}
