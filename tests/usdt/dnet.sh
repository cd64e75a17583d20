# dnet: runtimes in one provider's words, against the numbers that they tell of themselves.
# needs: user
# timeout: 200
. tests/lib/lib.sh

like "list" "$("$DTRACE" -ln 'dnet:::' | awk '{ print $3, $4, $5 }')" "*java event runtime*java lock lck-wait*java thread thr-start*java jit method-load*java gc gc-start*java loader module-load*python gc gc-start*cpp event excp*java security auth*java arm thr*java interop stub-gen*"
like "what a probe needs" "$("$DTRACE" -lvn 'dnet:java:gc:allocate-tick')" "*Fires only with -XX:+ExtendedDTraceProbes*"

has_notes() {
	[ -e "$1" ] && readelf -SW "$1" 2>/dev/null | grep -q '\.note\.stapsdt' && tried=1
}
tried=
python=$(readlink -f /usr/bin/python3 2>/dev/null)
if has_notes "$python"; then
	printf 'import gc\nfor i in range(7): gc.collect()\nimport colorsys\nprint("full", gc.get_stats()[2]["collections"])\n' >"$TMP/t.py"
	d -qn 'dnet:python:gc:gc-start /arg0 == 2/ { @["starts"] = count(); } dnet:python:gc:gc-end { @["ends"] = count(); }
		dnet:python:gc:gc-start { @["all"] = count(); } dnet:python:loader:module-load { @[copyinstr(arg0)] = count(); }' -c "$python $TMP/t.py"
	ends 0 python
	full=$(awk '/^full/ { print $2 }' "$TMP/out")
	# the last ones come when it ends, behind what it has told
	is "collections" "$(awk -v n="$full" '$1 == "starts" { print ($2 >= n && $2 <= n + 4) }' "$TMP/out")" 1
	is "starts and ends" "$(awk '$1 == "all" { print $2 }' "$TMP/out")" "$(awk '$1 == "ends" { print $2 }' "$TMP/out")"
	is "a module" "$(awk '$1 == "colorsys" { print $2 }' "$TMP/out")" 1
fi

if has_notes /usr/lib/x86_64-linux-gnu/libstdc++.so.6 && command -v g++ >/dev/null; then
	printf 'int main() { for (int i = 0; i < 25; i++) try { throw i; } catch (int) { } }' >"$TMP/t.cc"
	g++ -O1 -o "$TMP/throws" "$TMP/t.cc"
	d -qn 'dnet:cpp:event:excp,dnet:cpp:event:excp-catch { @[probename] = count(); }' -c "$TMP/throws"
	ends 0 cpp
	is cpp "$(echo "$out" | awk 'NF { print $1, $2 }' | sort)" "excp 25
excp-catch 25"
fi

jvm=$(ls /usr/lib/jvm/*/lib/server/libjvm.so 2>/dev/null | head -1)
if [ -n "$jvm" ] && has_notes "$jvm"; then
	cat >"$TMP/G.java" <<'END'
import java.lang.management.ManagementFactory;
public class G {
	public static void main(String[] a) throws Exception {
		for (int i = 0; i < 5; i++) System.gc();
		long n = 0;
		for (var b : ManagementFactory.getGarbageCollectorMXBeans()) n += b.getCollectionCount();
		System.out.println("collections " + n);
		System.out.println("classes " + ManagementFactory.getClassLoadingMXBean().getTotalLoadedClassCount());
	}
}
END
	d -qn 'dnet:java:gc:gc-start,dnet:java:gc:gc-end,dnet:java:loader:module-load,dnet:java:event:runtime { @[probename] = count(); }' \
		-c "${jvm%/lib/server/libjvm.so}/bin/java -XX:+UseSerialGC $TMP/G.java"
	ends 0 java
	n=$(awk '/^collections/ { print $2 }' "$TMP/out")
	is "collections" "$(awk '/^ *(gc-start|gc-end|runtime) / { print $1, $2 }' "$TMP/out" | sort)" "gc-end $n
gc-start $n
runtime 1"
	is "classes" "$(awk '/^classes/ { n = $2 } $1 == "module-load" { seen = $2 } END { print (seen >= n && seen < n + 100) }' "$TMP/out")" 1
fi

# -p of a shell that executes it, and -x follow
if has_notes "$python"; then
	printf 'import gc\nfor i in range(5): gc.collect()\n' >"$TMP/five.py"
	mkfifo "$TMP/begin"
	sh -c "read -r line <'$TMP/begin'; exec $python -S '$TMP/five.py'" &
	target=$!
	d -wqn 'BEGIN { system("echo >'"$TMP/begin"'"); } dnet:python:gc:gc-start /arg0 == 2/ { @ = count(); } END { printa("%@d\n", @); }' -p $target
	ends 0 "-p"
	is "-p" "$(grep -cE '^[5-9]$|^1[0-9]$' "$TMP/out")" 1
	d -x follow -qn 'dnet:python:gc:gc-start /arg0 == 2/ { @[pid] = count(); } END { printa("%d %@d\n", @); }' \
		-c "sh -c \"$python -S $TMP/five.py; $python -S $TMP/five.py\""
	ends 0 "-x follow"
	is "-x follow" "$(awk '/^[0-9]+ [0-9]+$/ && $2 >= 5 { n++ } END { print n }' "$TMP/out")" 2
fi

# runtimes of which nothing tells say so
d -n 'dnet:dotnet:gc:gc-start { }'
ends 1 .NET
like .NET "$err" "*.NET has no static probes; DOTNET_PerfMapEnabled=1*"
d -n 'dnet:ruby:gc:gc-start { }'
ends 1 "an unknown one"
like "an unknown one" "$err" "*runtimes are java, python, node, go and cpp; others: usdt, or pid*"
d -n 'dnet:python:jit:method-load { }'
ends 1 "what it does not tell"
like "what it does not tell" "$err" "*nothing of that runtime tells of it; dtrace -ln 'dnet:::' shows*"
d -n 'dnet:*:gc:gc-start { }'
ends 1 "no process is meant"
like "no process is meant" "$err" "*no process is meant: name one by -c or -p*"
[ "$(id -u)" = 0 ] || like "an ordinary user" "$("$DTRACE" -n 'dnet:python:gc:gc-start { }' 2>&1)" "*no process is meant*"
d -n 'dnet:java:arm:thr { } BEGIN { exit(0); }'
like "never" "$err" "*dnet:java:arm:thr: nothing of the runtime tells of it; it never fires*"
[ -n "$tried" ] || skip "no runtime with static probes"
finish
