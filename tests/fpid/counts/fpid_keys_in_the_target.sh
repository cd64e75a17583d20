# Keys that are not plain integers, kept by the target: the CPU, names of addresses, texts that are
# chosen from constants. The same script with claim=off gives the same answers; without room for a
# single record nothing is lost.
# needs: user
# timeout: 120
. tests/lib/lib.sh
. tests/lib/claimed.sh

need taskset
leaf='fpid$target:a.out:leaf:entry'
all='fpid$target:a.out::entry'

# the CPU: which one cannot be known beforehand, but for a program that is kept on one
d -x fpidbuf=4k -qn "$leaf"' { @[cpu] = count(); @s = sum(1); }' -c "$TARGETS/t 3000 4 quiet"
ends 0 "cpu"
like "cpu" "$err" ""
is "cpu: all of them" "$(echo "$out" | awk 'NF == 2 { n += $2 } END { print n }')" 13200
before=$(taskset -cp $$ | sed 's/.*: //')
for cpu in $(taskset -cp $$ | sed 's/.*: //; s/[-,]/ /g'); do
	taskset -cp "$cpu" $$ >/dev/null
	d -x fpidbuf=4k -qn "$leaf"' { @[cpu] = count(); }' -c "$TARGETS/t 3000 4 quiet"
	is "kept on CPU $cpu" "$(echo $out)" "$cpu 13200"
done
taskset -cp "$before" $$ >/dev/null

# names of addresses: looked up when they are printed
claimed "$leaf"' { @[ufunc(caller)] = count(); @u[uaddr(ucaller)] = sum(arg0); @m[umod(caller), arg0 & 3] = count(); @s[usym(caller), 7] = max(arg0); }'
claimed "$leaf"' { @[ufunc(0), sym(0), mod(0), umod(1)] = count(); }'

# registers that hold arguments; at a return they are read by a breakpoint, as ever
claimed 'fpid$target:a.out:six:entry { @[uregs[R_RDI] & 3, uregs[R_RSI] - arg1, uregs[R_RDX] == arg2] = count();
	@c = sum(uregs[R_RCX] + uregs[R_R8] + uregs[R_R9]); @d = sum(arg3 + arg4 + arg5); }'
claimed 'fpid$target:a.out:six:* { @[probename, uregs[R_RDI] & 3, uregs[R_RSI] - arg1] = sum(uregs[R_R9] & 15); }'

# texts
claimed "$leaf"' { @[arg0 > 50 ? "big" : "small", arg0 & 3, ufunc(caller)] = count(); }'
claimed "$leaf"' { @[arg0 == 1 ? "one" : arg0 == 2 ? "two" : execname, arg0 < 7 ? "" : "seven and more"] = quantize(arg0); }'
claimed "$all"' { @[arg0 > 5 ? probefunc : probemod, arg0 < 2 ? probename : "few"] = sum(arg0 & 7); }'
claimed "$all"' /probefunc == "leaf" || probefunc > "r"/ { @[probefunc, probefunc == "leaf", arg0 ? "a" : "b"] = count(); }'
claimed "$all"' /probefunc != "leaf" && arg0 < 50/ { @[(arg0 & 1 ? "x" : "y")] = count(); }'
d -x strsize=4 -x fpidbuf=4k -qn "$leaf"' { @[arg0 & 1 ? "longer than that" : "long"] = count(); }' -c "$TARGETS/t 300 1 quiet"
is "strsize" "$(echo $out)" "long 330"

# what is computed with a text is not known there: records, with the same answer
for how in on off; do
	d -x claim=$how -qn "$leaf"' { @[strlen(arg0 & 1 ? "ab" : "y"), (arg0 & 1 ? "x" : "y") == "x"] = count(); }' \
		-c "$TARGETS/t 300 1 quiet"
	ends 0 "strlen of a choice, claim=$how"
	echo "$out" >"$TMP/$how"
done
grep -q '[1-9]0$' "$TMP/on" || fail "strlen of a choice: $out"
cmp -s "$TMP/on" "$TMP/off" || fail "strlen of a choice: $(diff "$TMP/on" "$TMP/off")"
finish
