# pmc and cpc: samples and counters of what perf counts, compared with what the kernel tells the program itself.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need perf

d -ln 'pmc:::,cpc:::'
ends 0 "list"
like "list" "$out" "*sample-src*counter-src*cpu-clock*page-faults*context-switches*page-faults-all-1*"

# every software event of perf is there, and can be enabled by that name; most of them do not happen here
for name in cpu-clock task-clock page-faults faults minor-faults major-faults context-switches cs cpu-migrations \
	migrations alignment-faults emulation-faults dummy bpf-output Timer; do
	d -qn "pmc:::$name { @ = count(); } BEGIN { exit(0); }"
	ends 0 "$name"
done

# a page that is touched is one sample, at the instruction that touches it
d -qn 'pmc:::page-faults, pmc:::minor-faults-16 /pid == $target/ { @[probename, ufunc(arg0)] = count(); }
	cpc:::faults-user-1, cpc:::faults-kernel-1 /pid == $target && arg0 == 0/ { @[probename, ufunc(arg1)] = count(); }' \
	-c "$TARGETS/counters 640"
ends 0 "page faults"
is "page faults" "$(awk '/^faults / || $2 == "counters`touch" { print $1, $NF }' "$TMP/out" | sort)" "faults 640
faults-user-1 640
minor-faults-16 40
page-faults 640"

# the spelling of cpc elsewhere: "_" for "-"
d -qn 'cpc:::page_faults-all-1, cpc:::FAULTS-user-64 /pid == $target/ { @[probename, ufunc(arg1)] = count(); }' -c "$TARGETS/counters 640"
ends 0 "names with _"
is "names with _" "$(awk '$2 == "counters`touch" { print $1, $NF }' "$TMP/out" | sort)" "FAULTS-user-64 10
page_faults-all-1 640"

# while another tool listens to the same event: the records of both have one number on some kernels
perf record -q -e page-faults -c 1 -o "$TMP/perf.data" "$DTRACE" -qn 'pmc:::page-faults /pid == $target/ { @[ufunc(arg0)] = count(); }' \
	-c "$TARGETS/counters 640" >"$TMP/out" 2>"$TMP/err"
is "beside perf record" "$(awk '/`touch/ { print $NF }' "$TMP/out")" 640

# each time that a thread leaves its CPU: those that the program has counted, and one or two at its end
d -qn 'pmc:::context-switches /tid == $target/ { @ = count(); } END { printa("seen %@d\n", @); }' -c "$TARGETS/counters 500"
told=$(awk '/^switches/ { print $2 }' "$TMP/out") seen=$(awk '/^seen/ { print $2 }' "$TMP/out")
[ "$seen" -ge "$told" ] && [ "$seen" -le $((told + 100)) ] || fail "context switches: $seen, the program has $told"

# where nothing is done but to count the events of a program of -c they are counted, without a record of any
for claim in on off; do
	d -x claim=$claim -qn 'pmc:::page-faults { @ = count(); } cpc:::faults-user-1 { @user["user"] = count(); }
		diag:::events /args[0] == "pmc" || args[0] == "cpc"/ { @events["events"] = count(); }
		END { printa("all %@d\n", @); printa("%s %@d\n", @user); printa("%s %@d\n", @events); }' -c "sh -c '$TARGETS/counters 5000; $TARGETS/counters 5000'"
	ends 0 "counted, claim=$claim"
	awk -v claim=$claim '/^(all|user|events) / { n[$1] = $2 }
		END { exit !(n["all"] >= 10000 && n["all"] < 13000 && n["user"] >= 10000 && n["user"] <= n["all"] &&
			n["events"] + 0 == (claim == "on" ? 0 : n["all"] + n["user"])) }' "$TMP/out" || fail "counted, claim=$claim: $out"
done

# counters at tracepoints: between two calls of getppid the CPU has had the faults of the program, and those of others
need taskset
cat >"$TMP/group.d" <<'END'
uint64_t last;
syscall::pmc:entry-page-faults /execname == "counters" && *(int64_t *)arg2 == 110/ { printf("between %d\n", arg4 - last); last = arg4; }
linux-raw_syscalls::pmc:sys_enter /execname == "counters" && *(int64_t *)arg2 == 110/
	{ printf("%s %d %d\n", args[4]->names[2].name, args[4]->count > 5, args[4]->counters[2] > 0 && arg3 >= 56); }
END
d -qs "$TMP/group.d" -c "taskset -c 0 $TARGETS/counters 1000"
ends 0 "group"
n=$(awk '/^between/ { n = $2 } END { print n }' "$TMP/out")
[ "$n" -ge 1000 ] && [ "$n" -lt 3000 ] || fail "page faults between two calls: $n"
is "all counters" "$(grep -c '^page-faults 1 1$' "$TMP/out")" 2

# between its coming to the CPU and its leaving, the CPU has had the faults of the program alone; there are kernels that do not
# tell who comes to an idle CPU
keep_cpus_awake
d -qn 'sched::pmc:on-cpu-page-faults /pid == $target/ { self->n = arg4; self->is_on = 1; @on["on"] = count(); }
	sched::pmc:off-cpu-page-faults /pid == $target && self->is_on/ { @["faults"] = sum(arg4 - self->n); self->is_on = 0; }' -c "taskset -c 0 $TARGETS/counters 1500"
ends 0 "on-cpu"
is "nothing of it is lost" "$err" ""
is "on-cpu" "$(awk '$1 == "on" { on = ($2 > 0) } $1 == "faults" { n = $2 } END { print on, (n >= 1000), (n < 4000) }' "$TMP/out")" "1 1 1"

# what different probes have of a counter is of the same one: on a CPU it never goes back
d -qn 'sched::pmc:on-cpu-task-clock, sched::pmc:off-cpu-task-clock, syscall::pmc:entry-task-clock /pid == $target/ { printf("%d %d\n", cpu, arg4); }' \
	-c "taskset -c 0 $TARGETS/counters 300"
ends 0 "one counter"
awk 'NF == 2 && $1 ~ /^[0-9]+$/ { if ($1 in last && $2 < last[$1]) back++; last[$1] = $2; n++ } END { print (n > 500), back + 0 }' "$TMP/out" >"$TMP/told"
is "one counter" "$(cat "$TMP/told")" "1 0"

# the counters of every probe that has them can be read
for probe in proc::pmc:create proc::pmc:exec-success proc::pmc:lwp-exit proc::pmc:signal-send proc::pmc:signal-handle io::pmc:start io::pmc:done \
	isr::pmc:isr dpc::pmc:dpc dpc::pmc:timer tcp::pmc:state-change sched::pmc:wakeup; do
	d -qn "$probe-page-faults, $probe { } BEGIN { exit(0); }"
	ends 0 "$probe"
done
d -qn 'proc::pmc:signal-send-task-clock /pid == $target && *(int *)arg2 == 10/ { @ = count(); } END { printa("sent %@d\n", @); }' \
	-c "sh -c 'trap : USR1; kill -USR1 \$\$; kill -USR1 \$\$; kill -USR1 \$\$'"
is "signals" "$(grep sent "$TMP/out") $err" "sent 3 "

# all that is listed with a provider is listed by itself, and named it is the same
"$DTRACE" -l | awk '$3 == "pmc" { print $2, $4 }' | sort >"$TMP/listed"
"$DTRACE" -ln '::pmc:' | awk '$3 == "pmc" { print $2, $4 }' | sort >"$TMP/asked"
is "the list" "$(diff "$TMP/listed" "$TMP/asked" | head -3)" ""
for name in "sched off-cpu" "sched on-cpu-page-faults" "io start-task-clock" "syscall entry-context-switches" "tcp state-change"; do
	grep -qx "$name" "$TMP/listed" || fail "not in the list: $name"
done
d -lvn 'sched::pmc:off-cpu'
like "types" "$out" "*args\[4\]: pmc_counts_t **"
d -qn 'sched::pmc:off-cpu { @[args[4]->count > 5] = count(); } tick-200ms { exit(0); }'
ends 0 "all counters of a probe that a library declares, too"
like "all counters of a probe that a library declares, too" "$out" "* 1 *[1-9]*"

# what there is, told once
d -qn 'pmc:::sample-src { printf("%x %s %d\n", arg0, args[1], arg2); }
	pmc:::page-faults-100, cpc:::task-clock-user-2000000, pmc:::timer { }
	pmc:::counter-src { printf("%d %s %s\n", args[0], args[1][0].name, args[1][1].name); }
	sched::pmc:off-cpu-cs, sched::pmc:wakeup-faults { } tick-1s { exit(0); }'
ends 0 "sources"
is "sources" "$(sort "$TMP/out" | grep .)" "100000000 cpu-clock 1000000
100000001 task-clock 2000000
100000002 page-faults 100
2 context-switches page-faults"

# what is not there says which and why
if ! perf stat -e cycles true 2>&1 | grep -q 'not supported'; then
	echo "hardware counters are there: their absence cannot be seen"
else
	d -n 'pmc:::InstructionRetired { }'
	ends 1 "no hardware"
	like "no hardware" "$err" "*pmc:::InstructionRetired*instructions: no hardware counters on this machine (perf: No such file or directory); pmc offers: cpu-clock task-clock page-faults*"
	d -n 'sched::pmc:off-cpu-cycles { }'
	like "no hardware counter" "$err" "*cpu-cycles: no hardware counters on this machine*"
	d -n 'cpc:::r3c-user-umask_0x1-cmask_0x2-10000 { }'
	ends 1 "attributes of a raw event"
	like "attributes of a raw event" "$err" "*r200013c: no hardware counters on this machine*"
	d -Zn 'pmc:::cycles { } BEGIN { exit(0); }'
	ends 0 "-Z"
fi
d -n 'pmc:::tsc-100000 { }'
like "a counter without samples" "$err" "*tsc counts and gives no samples*"
d -n 'pmc:::cpu-clock-1 { }'
like "too short" "$err" "*the interval of cpu-clock is 10000 at least*"
d -n 'cpc:::page-faults-all-umask_0x1-10 { }'
ends 1 "attributes of another event"
like "attributes of another event" "$err" "*page-faults has no attributes: events by the number of the processor's manual do (rHEX)*"
d -n 'cpc:::r3c-all-nouser_0x1-10000 { }'
like "an attribute that is none" "$err" "*there is no attribute nouser: umask, edge, pc, inv, cmask*"
d -n 'pmc:::horses { }'
ends 1 "unknown"
like "unknown" "$err" "*pmc:::horses does not match any probes: it is no EVENT or EVENT-INTERVAL, of an event of pmc::: *"
d -n 'pmc:::page-fautls { }'
like "nearly known" "$err" "*did you mean page-faults?*"
for odd in page-faults page-faults-1 page-faults-some-1 page-faults-all-0 horses-all-1; do
	d -n "cpc:::$odd { }"
	ends 1 "cpc:::$odd"
	like "cpc:::$odd" "$err" "*it is no EVENT-MODE-INTERVAL, of an event of cpc:::, mode all, user or kernel, and an interval of 1 or more *"
	d -Zn "cpc:::$odd { } BEGIN { exit(0); }"
	ends 0 "-Z cpc:::$odd"
done
finish
