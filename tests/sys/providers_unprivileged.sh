# Without privileges each probe of the system either has what perf gives of one's own programs, or says in one line what
# it needs and ends with status 1.
# needs: user
. tests/lib/lib.sh
"$DTRACE" --doctor | grep -Eq '^perf events  *(works|limited)' || skip "$("$DTRACE" --doctor | grep '^perf events')"
"$DTRACE" --doctor | grep -q '^tracepoints  *works' && skip "this user has the privileges"

for probe in pf:::dzero_flt pf:::valloc pf:::av_flt vminfo:::zfod vminfo:::pgin sysinfo:::pswitch sysinfo:::trap dpc:::dpc dpc:::timer isr:::isr \
	lockstat:::spin-spin ip:::send tcp:::state-change udp:::send tcpip:::send udpip:::send \
	sched:::change-pri io:::wait-start proc:::signal-send; do
	for command in "-c true" ""; do
		# shellcheck disable=SC2086
		d -qn "$probe { n++; } tick-10s { exit(0); }" $command
		ends 1 "$probe $command"
		is "$probe $command" "$err" "dtrace: could not enable tracing: probe description $(echo "$probe" | sed 's/:::/:vmlinux::/'): needs CAP_BPF and CAP_PERFMON (or root)"
	done
done
for probe in fsinfo:::read reg:::open; do # those of the programs of -c are
	d -qn "$probe { n++; } tick-10s { exit(0); }"
	ends 1 "$probe of the machine"
	is "$probe of the machine" "$err" "dtrace: could not enable tracing: probe description $(echo "$probe" | sed 's/:::/:vmlinux::/'): needs CAP_BPF and CAP_PERFMON (or root)"
done
# tracepoints have names where tracefs can be read, or root has written their list
events=
! "$DTRACE" -ln sdt:sched::sched_switch >/dev/null 2>&1 || events="sdt:sched::sched_switch linux-sched:::sched_switch"
for probe in $events pf:::hp_flt pf:::hardflt pf:::imgload vminfo:::as_fault vminfo:::maj_fault vminfo:::min_fault pmc:::page-faults \
	cpc:::minor-faults-user-1 pmc:::context-switches sched::pmc:on-cpu-task-clock; do
	d -qn "$probe { n++; } tick-10s { exit(0); }"
	ends 1 "$probe of the machine"
	is "$probe of the machine" "$(echo "$err" | grep -c .) $(echo "$err" | grep -c "$(echo "$probe" | sed 's/:.*//'):.*needs CAP_PERFMON (or root, or kernel.perf_event_paranoid <= -1)")" "1 1"
done

# what one's own programs do in user code
d -qn 'vminfo:::as_fault { @s["faults"] = sum(arg0); } vminfo:::min_fault { @["minor"] = count(); } vminfo:::maj_fault { @["major"] = count(); }
	pf:::hardflt { @["seen"] = count(); } pf:::hp_flt { @["beginnings"] = count(); }' -c "$TARGETS/faults $TMP/data"
ends 0 "faults"
n() { # n NAME: the last number behind it; 0: there is none
	echo "$out" | awk -v w="$1" '$1 == w { n = $2 } END { print n + 0 }'
}
said=$(n hard)
[ "$(n major)" -ge "$said" ] || fail "$(n major) faults that had to read, of $said"
is "the same" "$(n seen) $(n beginnings)" "$(n major) $(n major)"
is "sum" "$(n faults)" $(($(n minor) + $(n major)))
[ "$(n minor)" -ge $((64 + 32 + 32 + 48 + 36)) ] || fail "faults: $out"
d -qn 'vminfo:::min_fault /arg0 == 1/ { @[ustackdepth > 0] = count(); }' -c "$TARGETS/counters 50"
ends 0 "stacks"
like "stacks" "$out" "* 1 *[1-9]*"
finish
