# Without privileges the keys and values of one's own programs are seen by the stops of their calls, with what was read and written.
# needs: user
. tests/lib/lib.sh
"$DTRACE" --doctor | grep -q '^ptrace  *\(works\|limited\)' || skip "$("$DTRACE" --doctor | grep '^ptrace')"
"$DTRACE" --doctor | grep -q '^tracepoints  *works' && skip "this user has the privileges"
key=/proc/sys/vm/swappiness
value=$(cat $key) several=$(cat /proc/sys/kernel/printk) # readable by all
show='printf(" : %s %s [%s] [%s] %d %d %s\n", probename, args[0]->r_rname, args[0]->r_value, args[0]->r_newvalue, args[0]->r_status, args[0]->r_index,
	args[0]->r_intime > 0 && args[0]->r_intime <= timestamp ? "timed" : "no time");'

# reg COMMAND PROBE...: what descendants of the target do
reg() {
	cmd=$1
	shift
	text=
	for probe; do
		text="$text reg:::$probe /progenyof(\$target)/ { $show }"
	done
	d -x strsize=1k -qn "$text" -c "$cmd"
	ends 0 "reg:::$*"
	out=$(sed -n 's/^ : //p' "$TMP/out")
}
reg "cat $key /proc/sys/kernel/printk /etc/passwd /proc/self/stat" open queryvalue querymulvalue close
is "values are read once" "$out" "open $key [] [] 0 -1 timed
queryvalue $key [$value] [] 0 -1 timed
close $key [] [] 0 -1 timed
open /proc/sys/kernel/printk [] [] 0 -1 timed
queryvalue /proc/sys/kernel/printk [$several] [] 0 -1 timed
querymulvalue /proc/sys/kernel/printk [$several] [] 0 -1 timed
close /proc/sys/kernel/printk [] [] 0 -1 timed"
reg "ls /sys/kernel" open close kcbcreate kcbdelete enumkey enumvaluekey
for line in "open /sys/kernel" "close /sys/kernel" "kcbcreate /sys/kernel" "kcbdelete /sys/kernel"; do
	is "once: $line" "$(echo "$out" | grep -cxF "$line [] [] 0 -1 timed")" 1
done
like "the first begins at 0" "$out" "*enumkey /sys/kernel [[][]] [[][]] 0 0 timed*"
is "enumkey as enumvaluekey" "$(echo "$out" | grep -c '^enumkey')" "$(echo "$out" | grep -c '^enumvaluekey')"
reg "sh -c 'cd /proc/sys/vm && test -r swappiness; test -e /sys/nosuchkey; rm -f /sys/kernel/notes; chmod 444 /sys/kernel/notes; : <$key; :'" \
	query delvalue setinfo close
like "asked about, by a name from a folder" "$out" "*query $key * 0 -1 timed*"
like "asked about in vain" "$out" "*query /sys/nosuchkey [[][]] [[][]] -2 -1 timed*"
like "cannot be deleted" "$out" "*delvalue /sys/kernel/notes [[][]] [[][]] -[0-9]* -1 timed*"
like "permissions" "$out" "*setinfo /sys/kernel/notes [[][]] [[][]] -[0-9]* -1 timed*"
d -x regkeys=sysctl -qn "reg:::queryvalue /pid == \$target/ { $show }" -c "cat $key"
is "as sysctl calls it" "$(sed -n 's/^ : //p' "$TMP/out")" "queryvalue vm.swappiness [$value] [] 0 -1 timed"

# in a namespace of one's own values can be written
own=/proc/sys/net/ipv4/ip_forward
if unshare -rn sh -c "echo 1 >$own" 2>/dev/null; then
	reg "unshare -rn sh -c 'echo 1 >$own; cat $own'" setvalue queryvalue virtualize
	is "a value of one's own" "$out" "setvalue $own [] [1] 0 -1 timed
virtualize $own [] [1] 0 -1 timed
queryvalue $own [1] [] 0 -1 timed
virtualize $own [1] [] 0 -1 timed"
	is "what it was is not told" "$err" "dtrace: probe description reg:::setvalue: needs CAP_BPF and CAP_NET_ADMIN (or root) for r_value, which is empty"
fi
finish
