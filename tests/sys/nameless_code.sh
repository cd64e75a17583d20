# Code that a runtime has made and not named: umod() has one row for it, usym() and ufunc() a row a page, and a line says how
# it could have names, with -q, too. Names that a program writes at its end are read then. Rows that print the same are one.
# needs: user
. tests/lib/lib.sh

once() { # once WHAT: no two rows of $out are called the same
	twice=$(echo "$out" | grep '^  ' | sed 's/ *[0-9]*$//' | grep . | sort | uniq -d)
	[ -z "$twice" ] || fail "$1: twice: $twice"
}

if command -v node >/dev/null; then
	cat >"$TMP/n.js" <<'END'
function fibo(n) { return n < 2 ? n : fibo(n - 1) + fibo(n - 2); }
let t = 0;
for (let i = 0; i < 60; i++) t += fibo(27);
require('fs').appendFileSync(process.argv[2], process.pid + '\n');
END
	d -qn 'profile-997 { @[umod(uregs[R_RIP])] = count(); }' -c "node $TMP/n.js $TMP/pids"
	ends 0 "umod"
	once "umod"
	like "umod" "$out" "*jit *"
	case $out in *0x*) fail "umod: addresses: $out" ;; esac
	d -qn 'profile-997 { @[ufunc(uregs[R_RIP])] = count(); }' -c "node $TMP/n.js $TMP/pids"
	ends 0 "ufunc"
	once "ufunc"
	like "ufunc" "$out" '*jit`0x*'
	is "pages" "$(echo "$out" | grep 'jit`' | grep -v 'jit`0x[0-9a-f]*000 ')" ""
	is "the hint" "$(echo "$err" | grep -c 'code of node (process [0-9]*) has no names: --perf-basic-prof names it')" 1
	d -qn 'profile-997 { @[ufunc(uregs[R_RIP])] = count(); }' -c "node --perf-basic-prof $TMP/n.js $TMP/pids"
	like "names" "$out" '*jit`JS:*fibo *'
	once "names"
	case $err in *perf-basic-prof*) fail "a hint to what is done: $err" ;; esac
	d -qn 'profile-997 { @m[umod(uregs[R_RIP])] = count(); }' -c "node --perf-basic-prof $TMP/n.js $TMP/pids"
	once "umod of named code"
	forget_maps "$TMP/pids"
fi

if command -v javac >/dev/null; then
	cat >"$TMP/J.java" <<'END'
public class J {
	static int fibo(int n) { return n < 2 ? n : fibo(n - 1) + fibo(n - 2); }
	public static void main(String[] v) throws Exception { long t = 0; for (int i = 0; i < 300; i++) t += fibo(27); System.out.println(t);
		try (var f = new java.io.FileWriter(v[0])) { f.write(ProcessHandle.current().pid() + "\n"); } }
}
END
	(cd "$TMP" && javac J.java)
	d -qn 'profile-997 { @[ufunc(uregs[R_RIP])] = count(); } END { printa(@); }' \
		-c "java -cp $TMP -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit J $TMP/pids"
	forget_maps "$TMP/pids"
	like "names at the end" "$out" '*jit`int J.fibo(int)*'
	d -qn 'profile-997 { @[ufunc(uregs[R_RIP])] = count(); }' -c "java -cp $TMP J $TMP/other"
	like "the hint for java" "$err" "*code of java (process *) has no names: *DumpPerfMapAtExit*PreserveFramePointer*"
fi

python=$(command -v python3.12 || command -v python3.13)
if [ -n "$python" ]; then
	d -qn 'profile-997 { @[ufunc(uregs[R_RIP])] = count(); }' -c "$python -c 'sum(i * i for i in range(5000000))'"
	like "the hint for python" "$err" "*code of python (process *) has no names: -X perf names its functions*"
fi

# two processes of one program
d -qn 'profile-997 { @[ufunc(uregs[R_RIP])] = count(); }' -c "sh -c '$TARGETS/burn 0.3; $TARGETS/burn 0.3; :'"
ends 0 "two processes"
once "ufunc of two processes"
like "two processes" "$out" '*burn`burn *'
d -qn 'profile-997 { @[umod(uregs[R_RIP]), uaddr(0)] = count(); }' -c "sh -c '$TARGETS/burn 0.3; $TARGETS/burn 0.3; :'"
once "umod of two processes"
d -qn 'profile-997 { @[ustack(2)] = count(); } END { trunc(@, 1); }' -c "sh -c '$TARGETS/burn 0.3; $TARGETS/burn 0.3; :'"
is "the first of them" "$(echo "$out" | grep -c '`burn+')" 1
finish
