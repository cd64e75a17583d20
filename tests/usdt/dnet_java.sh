# dnet of Java: threads, contended monitors, compilations and their code, as often as the machine says itself.
# needs: user
# timeout: 120
. tests/lib/lib.sh
jvm=$(ls /usr/lib/jvm/*/lib/server/libjvm.so 2>/dev/null | head -1)
[ -n "$jvm" ] && readelf -SW "$jvm" | grep -q '\.note\.stapsdt' || skip "no Java with static probes"
bin=${jvm%/lib/server/libjvm.so}/bin
[ -x "$bin/javac" ] || skip "no javac"

cat >"$TMP/W.java" <<'JAVA'
import java.lang.management.ManagementFactory;
public class W {
	static final Object lock = new Object();
	static int n;
	static int hot(int i) { return i * 31 + 7; }
	public static void main(String[] a) throws Exception {
		for (int i = 0; i < 200000; i++) n += hot(i);
		Thread[] t = new Thread[5];
		long blocked = 0;
		var bean = ManagementFactory.getThreadMXBean();
		final long[] mine = new long[5];
		for (int i = 0; i < 5; i++) {
			final int k = i;
			t[i] = new Thread(() -> {
				for (int j = 0; j < 20; j++)
					synchronized (lock) {
						try { Thread.sleep(1); } catch (InterruptedException e) { }
					}
				mine[k] = bean.getThreadInfo(Thread.currentThread().getId()).getBlockedCount();
			}, "worker-" + i);
			t[i].start();
		}
		for (Thread x : t) x.join();
		for (long b : mine) blocked += b;
		System.out.println("blocked " + blocked);
	}
}
JAVA
"$bin/javac" -d "$TMP" "$TMP/W.java" || fail "no program"
cat >"$TMP/w.d" <<'D'
dnet:java:lock:lck-wait, dnet:java:lock:lck-done { @[probename, stringof(copyin(arg2, arg3))] = count(); }
dnet:java:thread:thr-start, dnet:java:thread:thr-stop /arg1 == 8 && !arg4/ { @[probename, stringof(copyin(arg0, arg1))] = count(); }
dnet:java:jit:method-jit-begin /stringof(copyin(arg4, arg5)) == "hot"/ { @[probename, stringof(copyin(arg2, arg3))] = count(); }
dnet:java:jit:method-jit-end /arg8 && stringof(copyin(arg4, arg5)) == "hot"/ { @[probename, stringof(copyin(arg6, arg7))] = count(); }
dnet:java:jit:method-load /stringof(copyin(arg2, arg3)) == "hot" && arg7 > 0/ { @[probename, stringof(copyin(arg0, arg1))] = count(); }
D
d -qs "$TMP/w.d" -c "$bin/java -XX:+DTraceMonitorProbes -XX:+PrintCompilation -cp $TMP W"
ends 0 java
seen() { # seen PROBE KEY: how many
	awk -v p="$1" -v k="$2" '$1 == p && $2 == k { print $3 }' "$TMP/out"
}
blocked=$(awk '/^blocked/ { print $2 }' "$TMP/out")
[ "${blocked:-0}" -gt 0 ] || fail "no thread had to wait: $out"
is "monitors" "$(seen lck-wait java/lang/Object) $(seen lck-done java/lang/Object)" "$blocked $blocked"
for thread in 0 1 2 3 4; do
	is "thread $thread" "$(seen thr-start worker-$thread) $(seen thr-stop worker-$thread)" "1 1"
done
# a line for each compilation as it begins; one of code that is given up ends otherwise
compiled=$(grep -c ' W::hot ([0-9]* bytes)$' "$TMP/out")
[ "$compiled" -gt 0 ] || fail "nothing was compiled: $out"
is "compilations" "$(seen method-jit-begin W) $(seen method-jit-end '(I)I') $(seen method-load W)" "$compiled $compiled $compiled"
finish
