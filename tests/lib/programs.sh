# programs.sh: real programs, each of which prints the same whenever it runs, for a second or two, and ends with a
# status of its own; after lib.sh. `programs` are their names, command_of NAME the command: one that exec does not
# leave; $TMP/NAME.free is what it says untraced, with its status behind it.
# shellcheck shell=sh

cat >"$TMP/work.py" <<'PY'
import hashlib, threading
sums = [0] * 3
def work(k):
    for i in range(60000):
        try:
            if i % 7 == 0:
                raise ValueError(i)
            sums[k] += len(str(i)) + {"a": i, "b": [i, i + 1]}["b"][1]
        except ValueError as e:
            sums[k] += e.args[0]
threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
[t.start() for t in threads]
[t.join() for t in threads]
h = hashlib.sha256()
for i in range(100000):
    h.update(b"%d" % i)
print(sums, h.hexdigest())
raise SystemExit(7)
PY
cat >"$TMP/work.sql" <<'SQL'
create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000) insert into t select i, 'row ' || (i * 7919 % 100003), i / 3.0 from n;
create index tb on t(b);
select count(*), min(b), max(b), round(sum(c), 2) from t where b like 'row 1%';
select sum(length(x.b)) from t x join t y on x.b = y.b;
select * from nothing;
SQL
cat >"$TMP/work.bash" <<'BASH'
n=0 s=
for ((i = 0; i < 40000; i++)); do ((n += i % 13)); s=${s:0:20}$((i % 10)); done
for i in 1 2 3 4 5 6 7 8 9; do n=$((n + $(echo $i))); done
trap 'echo trapped $n' USR1
kill -USR1 $$
echo $n $s
exit 5
BASH
cat >"$TMP/work.js" <<'JS'
let a = [], s = 0;
function f(i) { if (i % 11 == 0) throw new Error("e" + i); return { k: i, v: String(i * 3) }; }
for (let i = 0; i < 600000; i++) { try { a.push(f(i)); } catch (e) { s += e.message.length; } if (a.length > 5000) a = a.slice(2500); }
process.on("exit", () => console.log(s, a.length, a[7].v));
Promise.resolve().then(() => { process.exitCode = 6; });
JS
cat >"$TMP/work.pl" <<'PL'
my (%h, $s); for my $i (1 .. 300000) { $h{$i % 977} .= chr(65 + $i % 26); eval { die "x$i\n" if $i % 31 == 0 }; $s += length $@; }
print join(" ", $s, scalar(keys %h), substr($h{5}, 0, 40)), "\n"; exit 3;
PL

cat >"$TMP/Work.java" <<'JAVA'
import java.util.*;
import java.util.concurrent.*;
public class Work {
	static long f(int i) { if (i % 13 == 0) throw new IllegalStateException("e" + i); return i; }
	public static void main(String[] a) throws Exception {
		ExecutorService pool = Executors.newFixedThreadPool(4);
		List<Future<Long>> all = new ArrayList<>();
		for (int k = 0; k < 4; k++)
			all.add(pool.submit(() -> {
				long s = 0;
				String none = null;
				List<byte[]> keep = new ArrayList<>();
				for (int i = 0; i < 200000; i++) {
					try { s += f(i); } catch (IllegalStateException e) { s += e.getMessage().length(); }
					if (i % 1000 == 0) try { s += none.length(); } catch (NullPointerException e) { s += 3; }
					keep.add(new byte[100]);
					if (keep.size() > 5000) keep.clear();
				}
				return s;
			}));
		long s = 0;
		for (Future<Long> f : all) s += f.get();
		pool.shutdown();
		System.out.println(s);
		System.exit(9);
	}
}
JAVA
cat >"$TMP/work.rs" <<'RS'
use std::collections::HashMap;
use std::panic;
fn f(i: u64) -> u64 { if i % 997 == 0 { panic!("x") }; i }
fn main() {
    panic::set_hook(Box::new(|_| {}));
    let hs: Vec<_> = (0..3).map(|k| std::thread::spawn(move || {
        let mut m = HashMap::new(); let mut s = 0u64;
        for i in 0..60000u64 { match panic::catch_unwind(|| f(i + k)) { Ok(v) => s += v, Err(_) => s += 1 } *m.entry(i % 101).or_insert(0u64) += s % 7; }
        s + m.len() as u64 })).collect();
    let t: u64 = hs.into_iter().map(|h| h.join().unwrap()).sum();
    println!("{}", t); std::process::exit(4);
}
RS

programs="mishaps signals threads forks coroutines"
for name in python3 sqlite3 bash node perl gcc clang java javac openssl; do
	! command -v $name >/dev/null || programs="$programs $name"
done
if command -v g++ >/dev/null && g++ -O1 -pthread -w -o "$TMP/unwinds" tests/targets/unwinds.cc 2>/dev/null; then
	programs="$programs exceptions"
	! g++ -O3 -flto -pthread -w -o "$TMP/unwinds-lto" tests/targets/unwinds.cc 2>/dev/null || programs="$programs flto"
fi
! command -v rustc >/dev/null || ! rustc -O -o "$TMP/rust" "$TMP/work.rs" 2>/dev/null || programs="$programs rust"
! command -v javac >/dev/null || javac -d "$TMP" "$TMP/Work.java" || programs=$(echo "$programs" | sed 's/ java / /')

# command_of PROGRAM: one that exec does not leave
command_of() {
	case $1 in
	mishaps) echo "$TARGETS/mishaps threads 60" ;;
	signals) echo "$TARGETS/adverse blocked 1000000" ;;
	threads) echo "$TARGETS/adverse libc 400" ;;
	coroutines) echo "$TARGETS/fibers 20000" ;;
	flto) echo "$TMP/unwinds-lto 300" ;;
	rust) echo "$TMP/rust" ;;
	gcc | clang) echo "$1 -O2 -S -o - -xc tests/targets/zoo.c" ;;
	java) echo "java -Xmx256m -cp $TMP Work" ;;
	javac) echo "javac -d $TMP/classes $TMP/Work.java" ;;
	openssl) echo "openssl dgst -sha3-512 $TMP/zeros" ;;
	forks) echo "$TARGETS/lives fork 1000" ;;
	exceptions) echo "$TMP/unwinds 300" ;;
	python3) echo "$(python3 -c 'import sys; print(sys.executable)') $TMP/work.py" ;;
	sqlite3) echo "sqlite3 :memory: -init $TMP/work.sql .quit" ;;
	bash) echo "bash $TMP/work.bash" ;;
	node) echo "node $TMP/work.js" ;;
	perl) echo "perl $TMP/work.pl" ;;
	esac
}

head -c 60000000 /dev/zero >"$TMP/zeros"
for program in $programs; do
	# shellcheck disable=SC2046
	(exec $(command_of "$program") >"$TMP/$program.free" 2>"$TMP/$program.err" </dev/null)
	echo "status $?" >>"$TMP/$program.free"
done
