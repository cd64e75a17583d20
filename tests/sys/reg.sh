# The kernel's keys and values: /proc/sys, sysfs, cgroups.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
key=/proc/sys/vm/swappiness
[ -w $key ] || skip "$key cannot be written"
value=$(cat $key) # it is written as it is

show='printf("%s %s [%s] [%s] %d %s\n", probename, args[0]->r_rname, args[0]->r_value, args[0]->r_newvalue, args[0]->r_status,
	args[0]->r_intime > 0 && args[0]->r_intime <= timestamp ? "timed" : "no time");'

# reg ACTION COMMAND PROBE...: what descendants of the target do
reg() {
	action=$1 cmd=$2
	shift 2
	text=
	for probe; do
		text="$text reg:::$probe /progenyof(\$target)/ { $action }"
	done
	d -qn "$text" -c "$cmd"
	ends 0 "reg:::$*"
}

reg "$show" "sh -c 'echo $value >$key'" setvalue
if "$DTRACE" --doctor 2>/dev/null | grep -q '^cgroup  *works'; then
	is "a sysctl is written once" "$out" "setvalue $key [$value] [$value] 0 timed"
	d -x regkeys=sysctl -qn "reg:::setvalue /progenyof(\$target)/ { $show }" -c "sh -c 'echo $value >$key'"
	is "its name" "$out" "setvalue vm.swappiness [$value] [$value] 0 timed"
	reg "$show" "sh -c 'echo nonsense >$key; :'" setvalue
	is "one that is refused" "$out" "setvalue $key [$value] [nonsense] -22 timed"
else
	is "a sysctl is written once" "$out" "setvalue $key [] [$value] 0 timed"
fi

reg "$show" "cat $key /proc/sys/kernel/printk" queryvalue querymulvalue
several=$(cat /proc/sys/kernel/printk)
is "values are read once" "$(echo "$out" | grep -v "^[0-9$(printf '\t') ]*$")" "queryvalue $key [$value] [] 0 timed
queryvalue /proc/sys/kernel/printk [$several] [] 0 timed
querymulvalue /proc/sys/kernel/printk [$several] [] 0 timed"

reg "$show" "ls /sys/kernel" kcbcreate kcbdelete open close enumkey enumvaluekey
for line in "open /sys/kernel [] [] 0 timed" "kcbcreate /sys/kernel [] [] 0 timed" "kcbdelete /sys/kernel [] [] 0 timed" \
	"close /sys/kernel [] [] 0 timed"; do
	is "once: $line" "$(echo "$out" | grep -cxF "$line")" 1
done
is "enumkey as enumvaluekey" "$(echo "$out" | grep -c '^enumkey /sys/kernel ')" "$(echo "$out" | grep -c '^enumvaluekey /sys/kernel ')"
reg 'printf("%d\n", args[0]->r_index);' "ls /sys/kernel" enumkey
is "the first begins at 0" "$(echo "$out" | grep -x '[0-9]*' | head -1)" 0

reg "$show" "sh -c 'cd /proc/sys/vm && test -r swappiness; test -e /sys/nosuchkey; rm -f /sys/kernel/uevent_seqnum 2>/dev/null; :'" query delvalue
like "asked about, by a name from a folder" "$out" "*query $key * 0 timed*"
like "asked about in vain" "$out" "*query /sys/nosuchkey [[][]] [[][]] -2 timed*"
like "cannot be deleted" "$out" "*delvalue /sys/kernel/uevent_seqnum [[][]] [[][]] -1 timed*"

mode=$(stat -c %a $key)
reg "$show" "sh -c 'chmod $mode /sys/kernel/uevent_seqnum 2>/dev/null; chmod 444 /sys/kernel/uevent_seqnum; :'" setinfo
like "permissions" "$out" "*setinfo /sys/kernel/uevent_seqnum *timed*"
d -qn 'reg:::flush /pid == $target/ { printf("%s\n", args[0]->r_rname); }' -c "dd if=/dev/null of=$key conv=fsync,notrunc"
[ "$out" = $key ] || echo "$err" | grep -q fsync || fail "flush: $out"

group=$(findmnt -nt cgroup2 -o TARGET 2>/dev/null | head -1)
[ -n "$group" ] || group=$(findmnt -nt cgroup -o TARGET 2>/dev/null | head -1)
if [ -n "$group" ] && mkdir "$group/dtrace-reg$$" 2>/dev/null && rmdir "$group/dtrace-reg$$"; then
	reg "$show" "sh -c 'mkdir $group/dtrace-reg$$; rmdir $group/dtrace-reg$$'" create delete
	is "a group" "$out" "create $group/dtrace-reg$$ [] [] 0 timed
delete $group/dtrace-reg$$ [] [] 0 timed"
fi

# closed by an exec, and by the end of the process
cat >"$TMP/closes.py" <<'END'
import os, sys
if len(sys.argv) > 2:
    os._exit(0)
os.open("/sys/kernel/uevent_seqnum", os.O_RDONLY | os.O_CLOEXEC)
os.set_inheritable(os.open("/sys/kernel/profiling", os.O_RDONLY), True)
os.execv(sys.executable, [sys.executable, "-I", "-S", sys.argv[0], sys.argv[1], "again"])
END
if command -v python3 >/dev/null 2>&1; then
	[ -e /sys/kernel/profiling ] || sed -i "s|/sys/kernel/profiling|/sys/kernel/uevent_seqnum|" "$TMP/closes.py"
	d -qn 'reg:::open, reg:::close /progenyof($target) && args[0]->r_status == 0/ { @[args[0]->r_rname, probename] = count(); }' \
		-c "$(python3 -c 'import sys; print(sys.executable)') -I -S $TMP/closes.py once"
	ends 0 "closed without a call"
	is "as often closed as opened" "$(echo "$out" | awk '$2 == "close" { print $1, $3 }' | sort)" "$(echo "$out" | awk '$2 == "open" { print $1, $3 }' | sort)"
	like "of the exec" "$out" "*/sys/kernel/uevent_seqnum *close*"
fi

# other files are none
reg "$show" "sh -c 'cat /etc/passwd /proc/self/stat >/dev/null; echo a >$TMP/file; rm $TMP/file'" open close queryvalue setvalue delvalue query
is "other files" "$(echo "$out" | grep -v ' /sys/\| /proc/sys' | grep -v '^$')" ""

# a namespace's own copy
if unshare -n true 2>/dev/null; then
	own=/proc/sys/net/ipv4/ip_forward
	reg "$show" "unshare -n cat $own $key" virtualize
	is "virtual" "$(echo "$out" | grep virtualize)" "virtualize $own [$(unshare -n cat $own)] [] 0 timed"
fi

# below a root of its own there is a proc, too
mkdir "$TMP/root" "$TMP/root/proc"
if command -v python3 >/dev/null 2>&1 && mount -t proc none "$TMP/root/proc" 2>/dev/null; then
	below=$(realpath "$TMP")/root
	printf 'import os, sys\nos.chroot(sys.argv[1])\nos.stat("/proc/sys/vm/swappiness")\nopen("/proc/sys/vm/swappiness").read()\n' >"$TMP/below.py"
	for keys in path sysctl; do
		d -x strsize=1k -x regkeys=$keys -qn 'reg:::query, reg:::queryvalue /pid == $target/ { @[probename, args[0]->r_rname] = count(); }' \
			-c "$(python3 -c 'import sys; print(sys.executable)') -I -S $TMP/below.py $below"
		[ $keys = sysctl ] && key=vm.swappiness || key=$below/proc/sys/vm/swappiness
		is "asked about, $keys" "$(echo "$out" | awk -v k="$key" '$1 == "query" && $2 == k { print ($3 > 0) }')" 1
		is "read, $keys" "$(echo "$out" | awk -v k="$key" '$1 == "queryvalue" && $2 == k { print $3 }')" 1
	done
	key=/proc/sys/vm/swappiness
	umount "$TMP/root/proc"
fi

d -ln 'reg:::'
is "all" "$(echo "$out" | grep -c vmlinux)" 16

# the program that the kernel asks before a write goes with the engine
"$DTRACE" -qn "reg:::setvalue { } BEGIN { printf(\"ready\n\"); } tick-60s { exit(0); }" >"$TMP/ready" 2>/dev/null &
front=$!
until_said "$TMP/ready" ready $front || fail "no run"
kill -9 "$(engine_of $front)"
wait $front 2>/dev/null
echo "$value" >$key || fail "a sysctl cannot be written any more"
finish
