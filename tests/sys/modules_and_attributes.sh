# Probes of the kernel have a module and their attributes.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh

d -lm vmlinux
ends 0 "-lm"
for provider in syscall sched proc io; do
	[ "$(awk -v p=$provider '$2 == p && $3 == "vmlinux"' "$TMP/out" | wc -l)" -gt 5 ] || fail "$provider: not of vmlinux"
done
is "others have another module" "$(d -l && awk 'NR > 1 && $2 ~ /^(syscall|sched|proc|io)$/ && $3 != "vmlinux" && $3 != "pmc"' "$TMP/out")" ""
d -lm 'vmlinux/pid == 1/{ trace(1); }'
ends 0 "with a predicate"
d -ln 'syscall:vmlinux:read:entry'
like "by its module" "$out" "*syscall *vmlinux *read entry"
d -ln 'dtrace:vmlinux::BEGIN'
is "none" "$(echo "$out" | wc -l)" 1
d -qn 'syscall::getppid:entry /pid == $target/ { printf("%s %s\n", probemod, probefunc); exit(0); }' -c "$TARGETS/calls 10"
like "probemod" "$out" "*vmlinux getppid*"

# attributes PROBE: of the description and of the arguments
attributes() {
	d -lvn "$1"
	awk '/Names:|Semantics:|Class:/ { printf("%s%s", $NF, ++n % 3 ? "/" : " ") }' "$TMP/out"
}
for probe in sched:::on-cpu proc:::start io:::start; do
	is "$probe" "$(attributes $probe)" "Private/Private/Unknown Evolving/Evolving/ISA "
done
is "syscall" "$(attributes syscall::read:entry)" "Private/Private/Unknown Private/Private/ISA "
for probe in sdt:sched::sched_switch rawtp:sched::sched_switch; do
	is "$probe" "$(attributes $probe)" "Private/Private/Unknown Private/Private/ISA "
done
is "BEGIN" "$(attributes dtrace:::BEGIN)" "Stable/Stable/Common Stable/Stable/Common "

d -ln sdt::sched:sched_wakeup*
is "the group as the function" "$(echo "$out" | awk '{ print $2 ":" $3 "::" $4 }' | tail -n +2)" "sdt:sched::sched_wakeup
sdt:sched::sched_wakeup_new"

# sdt: args[] are the fields
d -lvn sdt:sched::sched_switch
like "fields" "$out" "*args\[0\]: char \[16\]*args\[1\]: pid_t*args\[6\]: int*"
d -qn 'sdt:sched::sched_switch /args[1] == $target/ { @[stringof(args[0]), args[1] == pid] = count(); } END { printa("%s %d %@d\n", @); }' \
	-c 'sleep 0.1'
like "a text of fixed length" "$out" "*sleep 1 [1-9]*"
d -qn 'linux-sched:::sched_process_exit /args[0]->pid == $target/ { x = args[0]->prio; } sdt:sched::sched_process_exit /args[1] == $target/ { y = args[2]; }
	END { printf("%d\n", x == y && x > 0); }' -c true
is "a number" "$out" 1
finish
