# Aggregations by keys that the kernel has at hand are kept there: the same results as of records, and none is sent.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf

keyed=$TARGETS/keyed
seeks="syscall::lseek:entry /pid == \$target && arg2 == 0/"
writes='syscall::write:entry /pid == $target && arg2 < 100 && arg0 > 2/'

# both WHAT SCRIPT [ARGS]: what is counted in the kernel, of which no record comes, is what records come to
both() {
	d -q -x claim=off -x evaltime=exec -x aggsize=16m -n "$2" -c "$keyed ${3:-1000}"
	ends 0 "$1, of records"
	plain=$out
	d -v -x evaltime=exec -x aggsize=16m -o "$TMP/counted" -n "$2" -c "$keyed ${3:-1000}"
	ends 0 "$1"
	like "$1: no records" "$err" "*records read: * of perf events, 0 of BPF programs*"
	d -q -x evaltime=exec -x aggsize=16m -n "$2" -c "$keyed ${3:-1000}"
	is "$1" "$out" "$plain"
	[ -n "$plain" ] || fail "$1: nothing was counted"
}

both "an argument" "$seeks { @[arg1 & 7] = count(); }"
is "as often as the program did" "$(echo "$out" | awk 'NF == 2 && $1 >= 0 && $1 < 8 { n += $2 } END { print n }')" 1000
both "two keys, of names and of a cast" "syscall:::entry /pid == \$target && arg0 == 4294967295/ { @[execname, (int)arg0, probefunc] = count(); }"
like "a number that is negative" "$out" "*keyed *-1*close*5*"
both "a name that changes" "syscall::lseek:entry /pid == \$target && arg2 == 1/ { @[execname] = count(); }"
like "a name that changes" "$out" "*renamed *7*"
both "a sum" "$writes { @ = sum(arg2); }"
is "as many bytes as the program says" "$(echo "$out" | awk 'NF == 1 { print $1 }' | sort -u | wc -l)" 1
both "averages and distributions" "$writes { @a = avg(arg2); @q = quantize(arg2); @l[arg2 & 1] = lquantize(arg2, 10, 80, 7); }"
both "results" 'syscall::write:return /pid == $target && arg0 < 100/ { @ = quantize(arg1); }'
both "several statements, several clauses" "$seeks { @n = count(); @k[arg0, (char)arg1] = count(); @s[arg1 & 3] = sum(arg1); }"
both "two clauses" "$seeks { @n = count(); } $seeks { @k[(unsigned char)arg1] = avg((short)arg1); }"

# a shift, a comparison, a ternary: a program of the clause's own
d -v -x evaltime=exec -n "$seeks { @[arg1 >> 3] = count(); }" -c "$keyed 100"
ends 0 "a key that is calculated"
like "a key that is calculated" "$err" "*run in the kernel: 1 clause of syscall*, 0 of BPF programs*"
is "a key that is calculated" "$(echo "$out" | awk 'NF == 2 && $1 ~ /^[0-9]+$/ { n += $2 } END { print n }')" 100

# a cast of what is no word of the event is a value of its own
d -q -x evaltime=exec -n "$seeks { @ = sum((char)pid); } END { printa(\"%@d\", @); printf(\" %d\n\", (char)\$target * 1000); }" -c "$keyed 1000"
ends 0 "a cast of pid"
is "a cast of pid" "$(echo "$out" | awk 'NF == 2 { print $1 - $2 }')" 0

# more keys than there is room for become records: nothing is lost
d -q -x evaltime=exec -x aggsize=64m -n "$seeks { @[arg1] = count(); }" -c "$keyed 30000"
ends 0 "many keys"
is "many keys: each once" "$(awk 'NF == 2 && $2 == 1' "$TMP/out" | wc -l)" 30000
is "many keys: no drops" "$err" ""

# CPUs that meet at keys that are new to both, and at more of them than each remembers: none is missing, none counted twice
d -v -n 'pf:::dzero_flt /pid == $target/ { @[arg0 & 0xff000007f000] = count(); @t["by thread", tid] = sum(2); }' -c "$TARGETS/crowded 4 20000"
ends 0 "many threads"
like "many threads: no records" "$err" "*records read: * of perf events, 0 of BPF programs*"
is "many threads" "$(echo "$out" | awk -v first=$((0x610000000000)) -v last=$((0x61000007f000)) \
	'NF == 2 && $1 >= first && $1 <= last { n += $2; k++ } END { print n, k }')" "$(echo "$out" | awk '$1 == "pages" { print $2 }') 128"
is "many threads, by thread" "$(echo "$out" | awk '$1 == "by" { t += $4 } NF == 2 && $1 != "pages" { n += $2 } END { print t - 2 * n }')" 0

# a clause without keys, alone at one probe, with others at a second: the same numbers, and no records
d -v -n 'vminfo:::zfod, vminfo:::cow_fault /pid == $target/ { @b["both"] = count(); } vminfo:::cow_fault /pid == $target/ { @c["copied", pid] = count(); }
	pf:::dzero_flt, pf:::gp_flt /pid == $target/ { @z["tripled"] = sum(3); } pf:::cow_flt /pid == $target/ { @a["average"] = avg(arg2); }' \
	-c "$TARGETS/faults $TMP/faults"
ends 0 "no keys"
like "no keys: no records" "$err" "*records read: * of perf events, 0 of BPF programs*"
is "no keys" "$(echo "$out" | awk '$1 == "both" { b = $2 } $1 == "copied" { c = $3 } $1 == "tripled" { z = $2 } $1 == "average" { a = $2 }
	END { print (b > 300), b - c - z / 3, (a == 0) }')" "1 0 1"

# what is cleared is counted anew
d -q -x evaltime=exec -n "$seeks { @ = count(); } END { printa(\"%@d\n\", @); clear(@); printa(\"%@d\n\", @); }" -c "$keyed 1000"
ends 0 "clear()"
is "clear()" "$(echo "$out" | tail -2 | tr '\n' ' ')" "1000 0 "

# a thread leaves its CPU as often as /proc says: between two looks there at least so often, and in all as often as it says in
# the end, and a few times more; it is seen to come where the CPU was not idle
keep_cpus_awake
cat >"$TMP/switching" <<'END'
#!/bin/sh
switches() {
	sum=0
	while read -r name n; do case $name in *ctxt_switches:) sum=$((sum + n)) ;; esac; done </proc/$$/status
}
switches
first=$sum
for i in $(seq 100); do /bin/true; done
switches
echo "switches $((sum - first)) $sum"
END
chmod +x "$TMP/switching"
d -v -n 'sched:::off-cpu, sched:::on-cpu /pid == $target/ { @[probename, execname] = count(); }' -c "$TMP/switching"
ends 0 "switches"
like "switches: no records" "$err" "*records read: * of perf events, 0 of BPF programs*"
said=$(echo "$out" | awk '$1 == "switches" { print $2 }') all=$(echo "$out" | awk '$1 == "switches" { print $3 }')
for name in off-cpu on-cpu; do
	n=$(echo "$out" | awk -v name=$name '$1 == name && $2 == "switching" { print $3 }')
	[ "${n:-0}" -ge "$said" ] && [ "$n" -le $((all + 20)) ] || fail "$name: $n, and the program has $said switches, $all in all: $out"
done
finish
