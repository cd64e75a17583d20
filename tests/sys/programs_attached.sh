# An enabled probe loads the programs of its own row into the kernel and no others; its provider's other probes, and the
# other providers, cost nothing then. When the run is over none of them is there.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
need strace
strace -qq -o /dev/null -e trace=bpf true 2>"$TMP/err" || skip "strace does not work here: $(tail -1 "$TMP/err")"

# loaded: names of the programs in strace's record $TMP/calls, without those that only try what works; the kernel cuts names
loaded() {
	grep -o 'BPF_PROG_LOAD, .*prog_name="[^"]*".*= [0-9]' "$TMP/calls" | sed 's/.*prog_name="//; s/".*//' |
		grep -vxE '|nothing|libbpf_nametest|pass|try_direct_map' | sort | tr '\n' ' ' | sed 's/ $//'
}

# only PROBE NAMES: these programs are loaded for it, where clauses ask for execname
only() {
	strace -f -qq -e trace=bpf -o "$TMP/calls" "$DTRACE" -qn "BEGIN { exit(0); } $1 /execname == \"nobody\"/ { @ = count(); }" \
		>"$TMP/out" 2>"$TMP/err" || fail "$1: $(cat "$TMP/err")"
	is "$1" "$(loaded)" "$2"
}
only 'pf:::valloc' "on_call on_return"
only 'pf:::cow_flt' "on_kernel_fault on_user_fault"
only 'pf:::trans_flt' "on_kernel_fault on_soft on_user_fault"
only 'pf:::imgload' ""
only 'vminfo:::pgin' "on_queued"
only 'vminfo:::as_fault' "on_hard on_soft"
only 'vminfo:::scan' "on_scan"
only 'vminfo:::prot_fault' "on_kernel_fault on_signal on_user_fault"
only 'sysinfo:::bread' "on_issue"
only 'sysinfo:::pswitch' "on_switch"
only 'sysinfo:::nthreads' "on_new"
only 'dpc:::timer' "on_hrtimer on_hrtimer_end on_timer on_timer_end"
only 'dpc:::thread' "on_softirq on_softirq_end on_work on_work_end"
if [ -d /sys/kernel/tracing/events/lock/contention_end ]; then only 'lockstat:::spin-spin' "on_begin on_end"; fi
only 'fsinfo:::dirnotify' "on_enter on_ring"
if grep -q ' receiver_wake_function$' /proc/kallsyms; then only 'udp:::receive' "each_file on_created on_ingress on_named on_named_first on_read on_read_ends on_state"; fi
only 'udp:::send' "each_file on_created on_egress on_named on_named_first on_read on_state"
only 'hwconfig:::' ""
only 'diag:::ignored' ""
only 'diag:::lostevent' ""
only 'dnet:java:gc:gc-start' ""
only 'pmc:::context-switches' "on_sample"

# programs PID: how many programs, links and counters a process has open
programs() {
	for fd in /proc/"$1"/fd/*; do readlink "$fd"; done 2>/dev/null | grep -cE 'bpf-(prog|link)|bpf_link|perf_event'
}

# A run that only waits has none open.
"$DTRACE" -qn 'BEGIN { printf("begun\n"); }' >"$TMP/out" 2>"$TMP/err" </dev/null &
front=$!
until_said "$TMP/out" '^begun' $front || fail "BEGIN: $(cat "$TMP/err")"
is "open without a probe" "$(programs "$(engine_of $front)")" 0
kill -TERM $front
wait $front
finish
