# The kernel accepts the programs of each provider (of fsinfo and reg: programs_load_files.sh), whatever is wanted of them: nothing, members, stacks, both.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf

all='sched:::,proc:::,io:::,pf:::,dpc:::,isr:::,lockstat:::,vminfo:::,sysinfo:::,syscall:::,ip:::,tcp:::,udp:::,tcpip:::,udpip:::,pmc:::page-faults,cpc:::minor-faults-user-1'
for wants in '@ = count();' '@[curpsinfo->pr_psargs, curlwpsinfo->pr_addr] = count();' '@[stack()] = count();' \
	'@[curthread->comm, curthread->mm->arg_start, ustack(), stack(), curlwpsinfo->pr_addr] = count();'; do
	d -qn "$all { $wants } BEGIN { exit(0); }"
	ends 0 "all { $wants }"
	[ "$status" != 0 ] || continue
	for probes in $(echo "$all" | tr , ' '); do # which?
		d -qn "$probes { $wants } BEGIN { exit(0); }"
		ends 0 "$probes { $wants }"
	done
done
d -qn 'sched:::off-cpu { @[args[0]->pr_addr, stack()] = count(); } sched:::on-cpu { @o[stack(), ustack()] = count(); } BEGIN { exit(0); }'
ends 0 "members and stacks"
d -qn 'sched:::tick /++n > 3/ { printf("ticks"); exit(0); } tick-20s { exit(1); }'
is "tick" "$out" "ticks"
finish
