# A Java VM: a small program loads 48,000 functions later. Every entry and every return is hooked, and what the
# program prints and how it ends is what it was, exceptions and collections of garbage included.
# needs: user
# timeout: 180
. tests/lib/lib.sh
need java javac

cat >"$TMP/J.java" <<'J'
public class J {
	static long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
	public static void main(String[] args) {
		Object[] kept = new Object[1000];
		long sum = 0;
		for (int i = 0; i < 100000; i++) {
			kept[i % 1000] = new int[i % 64];
			sum += i;
		}
		try {
			kept = null;
			kept.hashCode();
		} catch (NullPointerException e) {
			sum++;
		}
		System.gc();
		System.out.println(sum + fib(20));
		System.exit(3);
	}
}
J
javac -d "$TMP" "$TMP/J.java" 2>"$TMP/javac" || fail "javac does not run here: $(head -3 "$TMP/javac")"
java -cp "$TMP" J >"$TMP/want"
is "java itself" "$?" 3
for probes in 'fpid$target:::entry' 'fpid$target:::entry, fpid$target:::return'; do
	d -x fpidfallback=none -n "$probes"' { @[probemod] = count(); }' -o "$TMP/agg" -c "java -cp $TMP J"
	ends 0 "$probes"
	cmp -s "$TMP/want" "$TMP/out" || fail "$probes: $out $err"
	like "$probes" "$err" "*exited with status 3*"
	case $err in *'no counter is left'*) fail "$probes: no counters: $err" ;; esac
	[ "$(awk '$1 == "libjvm.so" { n += $2 } END { print n + 0 }' "$TMP/agg")" -gt 100000 ] || fail "$probes: $(cat "$TMP/agg" "$TMP/err")"
	# nearly all of the VM
	sed -n 's/.*fpid: \([0-9]*\) functions: \([0-9]*\) hooked.*/\1 \2/p' "$TMP/err" | sort -n | tail -1 |
		awk '$2 < 0.95 * $1 || $1 < 10000 { exit 1 }' || fail "$probes: $err"
	rm -f "$TMP/agg"
done
finish
