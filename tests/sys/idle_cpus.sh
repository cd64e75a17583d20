# What happens on idle CPUs is recorded there, too, also where the kernel writes no samples of them; what nobody has
# recorded is told.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
need taskset perl

# a program that sleeps alone on the last CPU is woken by the idle thread: a record for each time
last=$(($(getconf _NPROCESSORS_ONLN) - 1))
sleeps="taskset -c $last perl -e 'select(undef,undef,undef,0.002) for 1..300'"
d -x claim=off -qn 'linux-sched:::sched_wakeup /args[0]->pid == $target/ { @["woken"] = count(); }' -c "$sleeps"
ends 0 "sched_wakeup"
n=$(awk '$1 == "woken" { print $2 }' "$TMP/out")
[ "${n:-0}" -ge 300 ] || fail "300 sleeps, ${n:-0} wakeups: $err"

# with fields, thread and stack; each record once
d -qn 'BEGIN { other = nostack = again = 0; last_ns[-1] = timestamp; }
	linux-sched:::sched_wakeup /args[0]->pid == $target/ { other += stringof(args[0]->comm) != "perl" &&
		stringof(args[0]->comm) != "taskset" && stringof(args[0]->comm) != "dtrace"; nostack += stackdepth == 0; }
	linux-sched:::sched_wakeup { again += timestamp == last_ns[cpu]; last_ns[cpu] = timestamp; }
	linux-sched:::sched_wakeup /tid == 0 && execname != "swapper"/ { printf("%s\n", execname); }
	END { printf("%d %d %d\n", other, nostack, again); }' -c "$sleeps"
is "fields, stacks, once" "$out" "0 0 0"

# texts behind the fixed fields
d -qn 'BEGIN { bad = 0; } linux-irq:::irq_handler_entry /strlen(stringof(args[0]->name)) == 0/ { bad++; }
	linux-timer:::hrtimer_expire_entry /args[0]->function == 0/ { bad++; } tick-300ms { printf("%d\n", bad); exit(0); }'
is "names behind the fields" "$out" 0

# profile-N samples idle CPUs as it does the others, and says where they are
d -qn 'BEGIN { bad = 0; n = 0; } profile-199 { @[cpu] = count(); } profile-199 /cpu == 0 && ++n == 100/ { exit(0); }
	profile-199 /tid == 0 && (arg0 == 0 || arg1 != 0 || stackdepth == 0)/ { bad++; } END { printf("bad %d\n", bad); }'
ends 0 "profile"
is "each has a place and a stack" "$(echo "$out" | grep bad)" "bad 0"
seen=$(awk 'NF == 2 && $1 ~ /^[0-9]+$/ && $2 >= 25 { n++ } END { print n + 0 }' "$TMP/out")
is "CPUs with samples while CPU 0 had 100" "$seen" "$(getconf _NPROCESSORS_ONLN)"

# without BPF: what the kernel has counted and not recorded is told
without_bpf
d -x claim=off -qn 'linux-sched:::sched_wakeup /args[0]->pid == $target/ { @["woken"] = count(); }' -c "$sleeps"
n=$(awk '$1 == "woken" { print $2 }' "$TMP/out")
told=$(echo "$err" | sed -n 's/^dtrace: \([0-9]*\) unrecorded event.*/\1/p')
[ $((${n:-0} + ${told:-0})) -ge 300 ] || fail "300 sleeps, ${n:-0} wakeups, ${told:-0} are told to be missing: $err"
finish
