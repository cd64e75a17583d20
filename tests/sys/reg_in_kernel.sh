# Predicates on what args[0] of reg says, asked in the kernel: the same as when they are asked of all records.
# Values that are read and written, counted by them: the same, and no record is sent.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
key=/proc/sys/vm/swappiness
[ -w $key ] || skip "$key cannot be written"
value=$(cat $key) # it is written as it is
cat >"$TMP/keys" <<END2
for i in 1 2 3; do
	echo $value >$key
done
echo nonsense >$key
printf 'nonsense\n\n\n' >$key
printf 'fifteen_letters\n' >$key
printf 'sixteen__letters\n' >$key
printf 'of many more letters than that\n' >$key
printf 'many ends\n\n\n\n\n\n\n\n\n\n\n\n\n' >$key
(: </sys/nosuchkey)
test -e /sys/nosuchkey
exec cat $key /proc/sys/kernel/printk
END2
cmd="sh $TMP/keys"
all='reg:::open, reg:::setvalue, reg:::queryvalue, reg:::querymulvalue, reg:::query, reg:::close, reg:::kcbcreate'
show='printf(" : %s %s [%s] [%s] %d %d\n", probename, args[0]->r_rname, args[0]->r_value, args[0]->r_newvalue, args[0]->r_status, args[0]->r_index);'

# on ARGS...: what clauses print of one run; -v's lines in err
on() {
	rm -f "$TMP/told"
	d "$@" -o "$TMP/told" -x evaltime=exec -c "$cmd"
	ends 0 "$*"
	out=$(sed -n 's/.* : //p' "$TMP/told")
}

# asked PREDICATE LINES: variables are what the kernel does not have: then it sends all
asked() {
	on -n "$all /pid == \$target/ { this->holds = ($1) ? 1 : 0; } $all /pid == \$target && this->holds/ { this->holds = 0; $show }"
	plain=$out
	on -v -n "$all /($1) && pid == \$target/ { $show }"
	like "$1: in the kernel" "$err" "*filtered in the kernel: * of reg: *args\\[0\\]->*"
	is "$1" "$out" "$plain"
	is "$1: lines" "$(printf '%s\n' "$out" | grep -c "^$2")" "$3"
}
asked 'args[0]->r_status < 0 && probename == "setvalue"' setvalue 6
asked 'args[0]->r_status == -22' "setvalue $key" 6
asked 'args[0]->r_status == -2' "query /sys/nosuchkey" 1
asked 'args[0]->r_status != 0 && args[0]->r_intime > 0' close 0
asked 'args[0]->r_newvalue == "nonsense"' "setvalue $key" 2
asked 'args[0]->r_newvalue == "fifteen_letters"' "setvalue $key" 1
asked 'args[0]->r_newvalue == "many ends"' "setvalue $key" 1
asked 'args[0]->r_newvalue != "nonsense" && args[0]->r_newvalue != ""' "setvalue $key" 7
asked "args[0]->r_value == \"$value\" && args[0]->r_index == -1" "queryvalue $key \[$value\]" 1
asked "args[0]->r_value == \"$(tr -d '\n' </proc/sys/kernel/printk)\"" querymulvalue 1

# names: of open files, of paths from a folder on, with an end that says nothing, longer than there is room for
cat >>"$TMP/names" <<END2
cat /proc/sys/net/ipv4/tcp_available_congestion_control /proc/sys/vm/swappiness >/dev/null
test -d /sys/kernel/; test -d /sys/kernel/.; test -d /sys//kernel
test -e /sys/kernel/../kernel/notes
cd /proc/sys/vm; test -e swappiness; test -e ./swappiness; test -e ../vm/swappiness; test -e swap
exec cat swappiness
END2
keys=$cmd cmd="sh $TMP/names"
asked "args[0]->r_rname == \"$key\"" "[a-z]* $key " 6
asked 'args[0]->r_rname == "/sys/kernel"' "query /sys/kernel " 3
asked 'args[0]->r_rname == "/proc/sys/net/ipv4/tcp_available_congestion_control"' "open" 0
asked "args[0]->r_rname != \"$key\" && probename == \"query\"" "query" 6
on -x regkeys=sysctl -n "$all /args[0]->r_rname == \"vm.swappiness\" && pid == \$target/ { $show }"
is "as sysctl calls it" "$(echo "$out" | grep -c vm.swappiness)" 6
on -v -n 'reg:::query, reg:::open, reg:::close /args[0]->r_rname == "/sys/no/such_key" && pid == $target/ { trace(1); }'
like "no such name, but two that the kernel does not know" "$err" "*records read: * of perf events, 2 of BPF programs*"
cmd=$keys

# what nobody asks for is not sent: not the closes of such files either
on -v -n 'reg:::setvalue, reg:::close /pid == $target && args[0]->r_value == "no such"/ { trace(1); }'
like "nothing passes" "$err" "*records read: * of perf events, 0 of BPF programs*"

# counted CLAUSES RECORDS: but for so many there are none
counted() {
	d -x claim=off -o "$TMP/plain" -qn "$1" -x evaltime=exec -c "$cmd"
	ends 0 "$1, claim=off"
	d -v -o "$TMP/kept" -n "$1" -x evaltime=exec -c "$cmd"
	ends 0 "$1"
	like "$1: records" "$err" "*records read: * of perf events, $2 of BPF programs*"
	kept=$(sed -e '/^Stability/,/Minimum Statement/d' -e '/^\t\t[IDe]/d' -e '/^$/d' "$TMP/kept")
	is "$1" "$kept" "$(grep . "$TMP/plain")"
}
counted 'reg:::setvalue /pid == $target/ { @[execname, args[0]->r_status] = count(); }' 0
is "by their ends" "$(awk '$1 == "sh" { print $2, $3 }' "$TMP/kept" | tr '\n' ' ')" "0 3 -22 6 "
counted "reg:::setvalue /pid == \$target && args[0]->r_newvalue == \"$value\"/ { @[probename, args[0]->r_newvalue] = count(); }" 3 # longer ones may be it
is "by value" "$(awk '$1 == "setvalue" { print $2, $3 }' "$TMP/kept")" "$value 3"
counted 'reg:::queryvalue, reg:::setvalue /pid == $target/ { @ = count(); }' 0 # where they begin
counted 'reg:::queryvalue /pid == $target/ { @[args[0]->r_value] = count(); @n = sum(args[0]->r_index); }' 0
finish
