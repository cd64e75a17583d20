# Every function of real programs counted: output and exit status are what they were.
# needs: user
# timeout: 180
. tests/lib/lib.sh

alone() { # alone COMMAND
	sh -c "$1" >"$TMP/want" 2>"$TMP/want_err" </dev/null
	want=$?
	for probes in 'fpid$target:::entry' 'fpid$target:::return' 'fpid$target:::entry, fpid$target:::return'; do
		rm -f "$TMP/agg"
		d -x fpidfallback=none -n "$probes"' { @[probemod] = count(); }' -o "$TMP/agg" -c "$1"
		ends 0 "$probes: $1"
		cmp -s "$TMP/want" "$TMP/out" || fail "$probes: $1: output differs: $out $err"
		[ "$want" = 0 ] || like "$1: status" "$err" "*exited with status $want*"
		like "$1" "$err" "*fpid: * hooked, *"
		[ -s "$TMP/agg" ] || fail "$probes: $1: nothing was counted"
	done
}

# clauses that the target runs itself, in every function: entry, return, a variable of the thread, histograms
claimed() { # claimed COMMAND
	sh -c "$1" >"$TMP/want" 2>/dev/null </dev/null
	want=$?
	d -n 'self long n; fpid$target:::entry { self->n = self->n + 1; @[probemod] = quantize(arg0); }
		fpid$target:::return { self->n = self->n - 1; @m[probemod] = max(arg1); @d = quantize(self->n); }' -o "$TMP/agg" -c "$1"
	ends 0 "claimed: $1"
	cmp -s "$TMP/want" "$TMP/out" || fail "claimed: $1: output differs: $out $err"
	[ "$want" = 0 ] || like "claimed: $1: status" "$err" "*exited with status $want*"
	[ -s "$TMP/agg" ] || fail "claimed: $1: nothing was counted"
	rm -f "$TMP/agg"
}
claimed "$TARGETS/stacks 5"
claimed "$TARGETS/jumps 100"
claimed "sh -c '(exit 3); x=\$?; ls / >/dev/null; exit \$x'"

ran=0
have() {
	command -v "$1" >/dev/null 2>&1 && ran=1
}
have bash && alone "bash -c 'for ((i = 0; i < 3000; i++)); do ((s += i)); x=\${s#1}; done; echo \$s \$x; (exit 3); exit \$?'"
have sqlite3 && alone "sqlite3 :memory: 'with recursive c(x) as (select 1 union all select x+1 from c where x<20000) select sum(x), count(*), group_concat(x%7) from c'"
have openssl && alone "openssl dgst -sha512 $DTRACE"
have perl && alone "perl -e 'my %h; \$h{\$_%100}.=\$_ for 1..20000; print length(join(q(),map{\$h{\$_}} sort keys %h)),qq(\n); eval { die qq(x\n) }; print \$@; exit 4'"
have python3 && alone "python3 -c 'import json,re,hashlib,threading
r=[]
def f(i):
    s=json.dumps([{str(j): [j]*3} for j in range(500)])
    r.append(hashlib.sha256((s+str(len(re.findall(\"[0-9]+\", s)))).encode()).hexdigest())
ts=[threading.Thread(target=f,args=(i,)) for i in range(8)]
[t.start() for t in ts]; [t.join() for t in ts]
print(set(r))
try:
    1/0
except ZeroDivisionError as e:
    print(e)
'"
have ruby && alone "ruby --disable-gems -e 'h = Hash.new(0); 3000.times { |i| h[i.to_s(7)] += i }; puts h.values.sum; begin; raise %q(x); rescue => e; puts e.message; end; exit 3'"
have php && alone "php -n -r '\$a = []; for (\$i = 0; \$i < 5000; \$i++) \$a[\$i % 97][] = md5((string)\$i); try { throw new Exception(\"x\"); } catch (Exception \$e) { echo \$e->getMessage(), md5(serialize(\$a)), PHP_EOL; } exit(5);'"
lua='local t = {} for i = 1, 20000 do t[i % 100] = (t[i % 100] or 0) + i end local s = 0 for _, v in pairs(t) do s = s + v end print(s, pcall(error, [[x]])) os.exit(6)'
have lua && alone "lua -e '$lua'"
have luajit && alone "luajit -e '$lua'"
# libffi returns by a jump to one of some pieces of code of eight bytes, whose address it computes
cat >"$TMP/calls.py" <<'P'
import ctypes
for t in "bBhHiIlLfdg":
    for type in vars(ctypes).values():
        if isinstance(type, type.__class__) and getattr(type, "_type_", None) == t:
            print(t, ctypes.CFUNCTYPE(type, type)(lambda x: x)(3))
P
have python3 && python3 -c 'import ctypes' 2>/dev/null && alone "python3 $TMP/calls.py"
[ $ran = 1 ] || skip "none of the programs is here"
finish
