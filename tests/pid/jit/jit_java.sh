# A JVM writes its perf map when asked; methods are entered behind the check of the class.
. tests/lib/lib.sh
need java javac jcmd

cat >"$TMP/Hot.java" <<'END'
public class Hot {
	int base = 1;
	static int addStatic(int a, int b) { return a + b; }
	int addInst(int a, int b) { return a + b + base; }
	public static void main(String[] x) throws Exception {
		Hot h = new Hot();
		long s = 0;
		for (int i = 0; i < 200000; i++) s += addStatic(i, 1) + h.addInst(i, 2);
		new java.io.File(x[0] + "/warm").createNewFile();
		while (!new java.io.File(x[0] + "/go").exists()) Thread.sleep(20);
		s = 0;
		for (int i = 0; i < 3000; i++) s += addStatic(i, 1) + h.addInst(i, 2);
		System.out.println("sum " + s);
	}
}
END
javac -d "$TMP" "$TMP/Hot.java" || fail "javac does not work here"
java -XX:CompileCommand=dontinline,Hot::add* -XX:CompileCommand=quiet -cp "$TMP" Hot "$TMP" >"$TMP/java" 2>&1 &
jvm=$!
wait_for() { # wait_for SECONDS CONDITION
	for _ in $(seq "$(($1 * 10))"); do
		eval "$2" && return
		kill -0 $jvm 2>/dev/null || break
		sleep 0.1
	done
	kill $jvm 2>/dev/null
	skip "the JVM does not come that far: $2"
}
wait_for 40 '[ -e "$TMP/warm" ]'
wait_for 10 'jcmd $jvm Compiler.perfmap >/dev/null 2>&1'
"$DTRACE" -qn 'BEGIN { printf("ready\n"); } pid$target:jit:Hot.add*:entry { @[probefunc] = count(); }' \
	-p $jvm >"$TMP/out" 2>"$TMP/err" &
wait_for 20 'grep -q ready "$TMP/out"'
touch "$TMP/go"
wait $jvm
is "status of the JVM" $? 0
wait
rm -f "/tmp/perf-$jvm.map"
like "its result" "$(cat "$TMP/java")" "*sum 9009000"
is "counts" "$(counts "$TMP/out")" "Hot.addInst 3000
Hot.addStatic 3000"
finish
