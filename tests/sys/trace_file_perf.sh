# What perf record has recorded gives the counts of perf script, by event, process and stack; live and recorded agree.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need perf gcc awk
PERF_BUILDID_DIR=$TMP/debug
export PERF_BUILDID_DIR

cat >"$TMP/load.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noipa)) int burns(int n) { volatile int x = 0; for (int i = 0; i < n; i++) x += i; return x; }
__attribute__((noipa)) int outer(int n) { int r = burns(n); return r + 1; }
static void *thread(void *arg) { for (int i = 0; i < 50; i++) { syscall(SYS_gettid); usleep(500); } return arg; }
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, thread, 0);
	for (int i = 0; i < 300; i++) syscall(SYS_getppid);
	for (int i = 0; i < 60; i++) outer(1000000);
	for (int i = 0; i < 5; i++) if (fork() == 0) { execl("/bin/true", "true", (char *)0); _exit(1); } else wait(0);
	pthread_join(t, 0);
	return 0;
}
END
gcc -O1 -fno-omit-frame-pointer -o "$TMP/load" "$TMP/load.c" -lpthread || fail "no program"
record() { # record FILE OPTIONS...
	file=$1
	shift
	perf record -q -o "$file" "$@" -- "$TMP/load" >/dev/null 2>&1 || skip "perf record $* does not work here"
}
by_script() { # by_script FILE: how many of each event
	perf script -i "$1" -F event 2>"$TMP/why" >"$TMP/scripted" || echo "perf script: $(tail -1 "$TMP/why")"
	awk '{ sub(":$", "", $NF); print $NF }' "$TMP/scripted" | sort | uniq -c | awk '{ print $2, $1 }'
}
is_read() { # is_read WHAT: whole, but for what perf itself calls out of order
	[ "$status" = 0 ] || case $err in *'came later than younger ones'*) ;; *) ends 0 "$1" ;; esac
}

# ---- tracepoints: each event, and each process ----
events=sched:sched_switch,sched:sched_wakeup,sched:sched_wakeup_new,raw_syscalls:sys_enter,raw_syscalls:sys_exit
record "$TMP/tp.data" -a -e $events
d -qE "$TMP/tp.data" -n 'linux-sched:::sched_switch, linux-sched:::sched_wakeup, linux-sched:::sched_wakeup_new,
	linux-raw_syscalls:::sys_enter, linux-raw_syscalls:::sys_exit { @[strjoin(substr(probeprov, 6), strjoin(":", probename))] = count(); }'
is_read "tracepoints"
is "tracepoints" "$(echo "$out" | awk 'NF == 2 { print $1, $2 }' | sort)" "$(by_script "$TMP/tp.data")"
d -qE "$TMP/tp.data" -n 'linux-raw_syscalls:::sys_enter /execname == "load"/ { @[pid == tid ? "main" : "thread"] = count(); }
	syscall::getppid:entry /execname == "load"/ { @p = count(); } syscall::gettid:return /execname == "load"/ { @t = count(); }
	END { printa("%@d", @p); printa(" %@d", @t); }'
case $err in # a busy machine
*drop*) ;;
*) like "system calls" "$out" "300 50*" ;;
esac
threads=$(perf script -i "$TMP/tp.data" -F comm,pid,tid,event 2>/dev/null | awk '$1 == "load" && /sys_enter/ { split($2, id, "/"); n[id[1] == id[2] ? "main" : "thread"]++ } END { print "main", n["main"] "\nthread", n["thread"] }' | sort)
is "by thread" "$(echo "$out" | awk 'NF == 2 && $1 ~ /main|thread/ { print $1, $2 }' | sort)" "$threads"
d -qE "$TMP/tp.data" -n 'sched:::on-cpu { @["on"] = count(); } sched:::off-cpu { @["off"] = count(); } sched:::wakeup { @["wake"] = count(); }'
want=$(by_script "$TMP/tp.data" | awk '/sched_switch/ { print "off", $2; print "on", $2 } /sched_wakeup/ { w += $2 } END { print "wake", w }')
is "sched" "$(echo "$out" | awk 'NF == 2 { print $1, $2 }' | sort)" "$want"

# ---- the lines of a recording: each event with its time, CPU and thread ----
"$DTRACE" -qE "$TMP/tp.data" -x fields=time,cpu,tid,event 2>/dev/null | awk '{ print $1, $2, $3, $4 }' | sort >"$TMP/lines"
perf script -i "$TMP/tp.data" --ns -F tid,cpu,time,event 2>/dev/null |
	awk '{ sub("^\\[0*", "", $2); sub("]", "", $2); sub(":$", "", $3); sub(":$", "", $NF); print $3, $2 + 0, $1, $NF }' | sort >"$TMP/truth"
cmp -s "$TMP/lines" "$TMP/truth" || fail "lines: $(diff "$TMP/lines" "$TMP/truth" | head -5)"

# ---- the machine ----
# what perf has written of this machine is what it is
told='hwconfig:::processor { printf("%d %d %d %d %d %d %d %d %s\n", args[0]->cpu, args[0]->core, args[0]->package, args[0]->node, args[0]->l1d, args[0]->l1i,
	args[0]->l2, args[0]->l3, args[0]->siblings); } hwconfig:::boot { printf("%s\n", args[0]->release); }'
d -qn "$told tick-1ms { exit(0); }"
live=$(echo "$out" | grep . | sort)
d -qE "$TMP/tp.data" -n "$told"
is_read "recorded processors"
is "recorded processors" "$(echo "$out" | grep . | sort)" "$live"
d -qE "$TMP/tp.data" -n 'hwconfig:::cpu { printf("%s|%s|%d|%d\n", args[0]->host, args[0]->model, args[0]->ncpus, args[0]->memory / 1024); }'
is "the machine" "$(echo "$out" | grep .)" "$(perf report --header-only -i "$TMP/tp.data" 2>/dev/null | awk -F ' : ' '/^# hostname/ { h = $2 } /^# cpudesc/ { m = $2 } /^# nrcpus avail/ { n = $2 } /^# total memory/ { split($2, t, " "); k = t[1] } END { print h "|" m "|" n "|" k }')"

# ---- samples with stacks ----
record "$TMP/clock.data" -g -F 2000 -e cpu-clock
d -qE "$TMP/clock.data" -n 'profile-997 /arg1/ { @[ufunc(arg1)] = count(); @n = count(); } profile-997 /arg1/ { @s[ustack(3)] = count(); }'
is "functions of samples" "$(echo "$out" | awk '/`burns/ && NF == 2 { print $2; exit }')" \
	"$(perf script -i "$TMP/clock.data" -F ip,sym -G 2>/dev/null | awk '$2 == "burns"' | wc -l)"
like "stacks of samples" "$(echo "$out" | sed 's/+0x.*//' | tr -s ' \n' ' ')" '*load`burns load`outer load`main *'
record "$TMP/dwarf.data" --call-graph dwarf -F 500 -e cpu-clock
d -qE "$TMP/dwarf.data" -n 'profile-97 /arg1/ { @[ustack(3)] = count(); }'
like "by recorded stacks" "$(echo "$out" | sed 's/+0x.*//' | tr -s ' \n' ' ')" '*load`burns load`outer load`main *'

# ---- counters that were sampled, and functions of programs ----
record "$TMP/pmc.data" -e page-faults -e cpu-clock:u -e context-switches
d -qE "$TMP/pmc.data" -n 'pmc:::page-faults-1 { @["all"] = count(); } cpc:::page-faults-user-1 { @["user"] = count(); } cpc:::page-faults-kernel-1 { @["kernel"] = count(); }'
is_read "counters"
is "counters" "$(echo "$out" | awk 'NF == 2 && $1 == "all" { all = $2 } NF == 2 && $1 != "all" { sum += $2 } END { print all, sum }')" \
	"$(by_script "$TMP/pmc.data" | awk '/page-faults/ { print $2, $2 }')"
if perf probe -q -x "$TMP/load" burns 2>/dev/null; then
	record "$TMP/uprobe.data" -e probe_load:burns
	perf probe -q -d probe_load:burns
	d -qE "$TMP/uprobe.data" -n 'linux-probe_load:::burns /execname == "load"/ { @ = count(); }'
	is "a function of a program" "$(echo $out)" 60
fi

# ---- processes ----
record "$TMP/tasks.data" -e cpu-clock
d -qE "$TMP/tasks.data" -n 'proc:::create, proc:::exec-success, proc:::lwp-create { @[probename] = count(); } proc:::exec-success { @e[execname] = count(); }'
is "processes" "$(echo "$out" | awk 'NF == 2 && $1 != "load" { print $1, $2 }' | sort)" "create 5
exec-success 6
lwp-create 1
true 5"

# ---- other forms: each gives the counts of perf ----
record "$TMP/ids.data" --buildid-mmap -g -e cpu-clock
record "$TMP/side.data" -a --switch-events --namespaces --all-cgroups -e raw_syscalls:sys_enter
record "$TMP/mono.data" -k mono -e raw_syscalls:sys_enter
record "$TMP/groups.data" -e '{cpu-clock,page-faults}:S'
record "$TMP/period.data" -c 100000 -e cpu-clock -e raw_syscalls:sys_enter
compressed=
perf version --build-options 2>/dev/null | grep -q 'zstd: \[ on' && {
	record "$TMP/zstd.data" -z -g -e cpu-clock -e raw_syscalls:sys_enter
	compressed=zstd
}
perf record -q -e raw_syscalls:sys_enter -o - -- "$TMP/load" 2>/dev/null >"$TMP/pipe.data"
for file in ids side mono groups period pipe $compressed; do
	d -qE "$TMP/$file.data" -n 'linux-raw_syscalls:::sys_enter { @["raw_syscalls:sys_enter"] = count(); } profile-97 { @["cpu-clock"] = count(); }' -Z
	is_read "$file"
	is "$file" "$(echo "$out" | awk 'NF == 2 { print $1, $2 }' | sort)" "$(by_script "$TMP/$file.data" | grep -v page-faults)"
done
d -qE "$TMP/mono.data" -n 'syscall::getppid:entry { printf("%d", walltimestamp / 1000000000); exit(0); }'
now=$(date +%s)
[ "$out" -le "$now" ] && [ "$out" -gt $((now - 600)) ] || fail "walltimestamp: $out at $now"
d -qE "$TMP/tp.data,$TMP/side.data" -n 'linux-raw_syscalls:::sys_enter { @ = count(); }'
is "two files of one machine" "$(echo $out)" \
	"$(for file in tp side; do by_script "$TMP/$file.data"; done | awk '/sys_enter/ { n += $2 } END { print n }')"
like "their clock" "$err" "*do not tell what clock they have (perf record -k mono): it is taken to be one*"
d -qE "$TMP/tp.data,$TMP/mono.data" -n 'linux-raw_syscalls:::sys_enter { @ = count(); }'
ends 1 "two clocks"
like "two clocks" "$err" "*have different clocks, and do not both tell the time of day (perf record -k mono): they cannot be read as one*"

# ---- a program that has changed since has no names of others ----
cp "$TMP/load" "$TMP/changes"
perf record -q -N -o "$TMP/changed.data" -F 2000 -e cpu-clock -- "$TMP/changes" >/dev/null 2>&1
cp /bin/true "$TMP/changes"
d -E "$TMP/changed.data" -n 'profile-97 /arg1/ { @[usym(arg1)] = count(); }'
like "a program that has changed" "$err" "*$TMP/changes: addresses have no names: *"
case $out in *burns*) ;; *'changes`'[a-z_]*) fail "names of another program: $out" ;; esac

# ---- lost records are told ----
perf record -q -m 1 -a -o "$TMP/lost.data" -e raw_syscalls:sys_enter,raw_syscalls:sys_exit,sched:sched_switch -g -- dd if=/dev/zero of=/dev/null bs=1 count=400000 2>/dev/null
lost=$(perf script -i "$TMP/lost.data" --show-lost-events 2>/dev/null | awk '/PERF_RECORD_LOST / { n += $NF } END { print n + 0 }')
if [ "$lost" -gt 0 ]; then
	d -qE "$TMP/lost.data" -n 'syscall:::entry { @ = count(); }'
	told=$(echo "$err" | awk '/drops? on CPU/ { n += $2 } END { print n + 0 }')
	[ "$told" -ge "$lost" ] || fail "$told of $lost lost events are told"
fi
finish
