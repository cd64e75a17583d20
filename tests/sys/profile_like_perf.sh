# Samples of traced programs show what perf's do: each function that has more than 2 % of them, within 2 points and three
# standard deviations; of a program without frame pointers its callers, too, whose witness is perf's copy of the stack.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need gcc perf
cd "$TMP" || exit

cat >calls.c <<'END'
#include <fcntl.h>
#include <unistd.h>
volatile unsigned long x;
__attribute__((noipa)) void spin(int n) { for (int i = 0; i < n; i++) x = x * 3 + 1; x++; }
__attribute__((noipa)) void most(void) { spin(20000); x++; }
__attribute__((noipa)) void some(void) { spin(8000); x++; }
__attribute__((noipa)) void deep(int n) { if (n) deep(n - 1); else spin(6000); x++; }
__attribute__((noipa)) void out(int fd) { for (int i = 0; i < 8; i++) if (write(fd, "x", 1) != 1) _exit(1); }
int main(void)
{
	int fd = open("/dev/null", O_WRONLY);

	for (int i = 0; i < 80000; i++) {
		most();
		some();
		deep(20);
		out(fd);
	}
}
END
gcc -O2 -g -fomit-frame-pointer -fno-optimize-sibling-calls -o calls calls.c || fail "no program"

# Both give a line "leaf NAME" and, of each function on the stack, "on NAME" for each sample.
name='function name(s) { sub(/\+0x[0-9a-f]+$/, "", s); sub(/^[^`]*`/, "", s); sub(/@.*/, "", s)
		sub(/^__GI_/, "", s); sub(/^___*libc_/, "", s); sub(/_impl$/, "", s); if (s !~ /^JS:/) sub(/[(].*/, "", s); return s }
	function put(n) { for (i = 0; i < n; i++) { print "leaf " first; for (f in on) print "on " f } first = ""; split("", on) }
	function frame(s) { s = name(s); if (first == "") first = s; on[s] }'
by_perf() { # by_perf HOW COMMAND...
	how=$1
	shift
	perf record -q -e cpu-clock -F 997 --call-graph "$how" -o perf.data "$@" >/dev/null 2>perf.err || return 1
	perf script --no-inline -i perf.data -F ip,sym,dso 2>/dev/null | awk "$name"'
		NF == 0 { if (first != "") put(1); next }
		/\[kernel|\[guest|[ \t]ffffffff/ { next }
		{ s = $0; sub(/^[ \t]*[0-9a-f]+ /, "", s); sub(/ \([^()]*\)$/, "", s); frame(s) }
		END { if (first != "") put(1) }' | sort | uniq -c >perf.shares
}
by_dtrace() { # by_dtrace COMMAND...
	"$DTRACE" -qn 'profile-997 { @[ustack(100)] = count(); }' -x aggsize=32m -c "$*" -o samples >d.out 2>d.err || fail "$*: $(cat d.err)"
	awk "$name"'/^ +[0-9]+$/ { put($1); next } NF { sub(/^ +/, ""); frame($0) }' samples | sort | uniq -c >d.shares
	rm -f samples
}
# compare WHAT KIND PATTERN: shares of the functions that match
compare() {
	awk -v kind="$2" -v pattern="$3" -v what="$1" '
		{ n = $1; k = $2; sub(/^ *[0-9]+ [a-z]+ /, ""); if (k == "leaf") all[FILENAME] += n; if (k == kind && $0 ~ pattern) { v[FILENAME, $0] = n; f[$0] } }
		END {
			a = all["perf.shares"]; b = all["d.shares"]
			if (a < 300 || b < 300) { print what ": too few samples: " a + 0 " and " b + 0; exit }
			for (s in f) {
				p = v["perf.shares", s] / a; q = v["d.shares", s] / b; m = (p + q) / 2
				if (p < 0.02 && q < 0.02)
					continue
				told++
				if ((p - q) ^ 2 > (0.02 + 3 * sqrt(m * (1 - m) * (1 / a + 1 / b))) ^ 2)
					printf "%s: %s %s: perf %.1f %%, dtrace %.1f %%\n", what, kind, s, 100 * p, 100 * q
			}
			if (!told)
				print what ": no function has 2 %"
		}' perf.shares d.shares >>differ
}
# held WHAT HOW COMMAND KIND PATTERN...: the two runs are two, which a busy machine may slow down at other places: one of
# three pairs agrees
held() {
	what=$1
	how=$2
	command=$3
	shift 3
	for tries in 1 2 3; do
		: >differ
		# shellcheck disable=SC2086
		by_perf "$how" $command || skip "perf cannot record: $(cat perf.err)"
		# shellcheck disable=SC2086
		by_dtrace $command
		for pair in "$@"; do
			compare "$what" "${pair%% *}" "${pair#* }"
		done
		[ -s differ ] || return
	done
	fail "$(cat differ)"
}

held "without frame pointers" dwarf,8192 "./calls" 'leaf ^(spin|out|write)' 'on ^(spin|most|some|deep|out|write|main|start_call_main)$'

# where it was in the kernel, and in the program
d -qn 'profile-997 /arg0/ { @k[arg1, func(arg0)] = count(); } profile-997 /arg1/ { @u[arg0, ufunc(arg1)] = count(); }' -c ./calls
ends 0 "arg0 and arg1"
like "arg0" "$out" '* 0 *vmlinux`*'
like "arg1" "$out" '* 0 *calls`spin*'
case $out in *'0  0x0 '*) fail "neither: $out" ;; esac

if command -v node >/dev/null; then
	cat >n.js <<'END'
function fibo(n) { return n < 2 ? n : fibo(n - 1) + fibo(n - 2); }
function words(n) { const m = new Map(); for (let i = 0; i < n; i++) m.set('k' + i % 500, i); return m.size; }
let t = 0;
for (let i = 0; i < 120; i++) { t += fibo(27); t += words(40000); }
require('fs').appendFileSync('pids', process.pid + '\n');
console.log(t);
END
	held node fp "node --perf-basic-prof n.js" 'leaf ^JS:|^Builtins_'
fi
if command -v javac >/dev/null; then
	cat >J.java <<'END'
public class J {
	static int fibo(int n) { return n < 2 ? n : fibo(n - 1) + fibo(n - 2); }
	static long sums(int n) { long s = 0; for (int i = 0; i < n; i++) s += (i * 31L) % 7; return s; }
	public static void main(String[] v) throws Exception { long t = 0; for (int i = 0; i < 500; i++) t += fibo(27) + sums(200000); System.out.println(t);
		try (var f = new java.io.FileWriter("pids", true)) { f.write(ProcessHandle.current().pid() + "\n"); } }
}
END
	javac J.java
	held java fp "java -XX:+PreserveFramePointer -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit J" 'leaf J[.]' 'on J[.]|^Interpreter$'
fi
if command -v python3 >/dev/null; then
	cat >p.py <<'END'
import json
def fibo(n): return n if n < 2 else fibo(n - 1) + fibo(n - 2)
t = sum(fibo(20) + len(json.dumps(list(range(3000)))) for i in range(600))
END
	held python dwarf,16384 "python3 p.py" 'leaf ^_?Py[A-Z]' 'on ^_?Py[A-Z]'
fi
[ ! -f pids ] || forget_maps pids
finish
