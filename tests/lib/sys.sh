# sys.sh: what the tests of system probes share.
# shellcheck shell=sh

# need_perf_system: skip where the whole machine may not be seen, or no tracepoint can be read
need_perf_system() {
	"$DTRACE" --doctor 2>/dev/null | grep -q '^tracepoints  *works' ||
		skip "$("$DTRACE" --doctor 2>/dev/null | grep '^tracepoints')"
}

# need_bpf: skip where the kernel or the build has no BPF programs
need_bpf() {
	"$DTRACE" --doctor 2>/dev/null | grep -q '^BPF  *works' ||
		skip "$("$DTRACE" --doctor 2>/dev/null | grep '^BPF')"
}

# without_bpf: the command may load no programs into the kernel from here on; skip where that cannot be had
without_bpf() {
	cat >"$TMP/dtrace-without-bpf" <<END
#!/bin/sh
exec setpriv --bounding-set -bpf,-sys_admin --inh-caps -bpf,-sys_admin "$DTRACE" "\$@"
END
	chmod +x "$TMP/dtrace-without-bpf"
	DTRACE=$TMP/dtrace-without-bpf
	"$DTRACE" --doctor 2>/dev/null | grep -q '^BPF  *missing' || skip "BPF cannot be given up here"
	"$DTRACE" --doctor 2>/dev/null | grep -q '^tracepoints  *works' || skip "nothing is left without BPF here"
}

# keep_cpus_awake: a loop on each, until the end of the test, that yields to all else. There are kernels (virtual
# machines, of 6.18) that write no sample of what interrupts the idle thread, and count no loss either.
keep_cpus_awake() {
	need chrt taskset
	loops=
	trap 'kill -9 $loops 2>/dev/null' EXIT
	: >"$TMP/awake"
	for cpu in $(seq 0 $(($(getconf _NPROCESSORS_ONLN) - 1))); do
		# there first, and only then idle: a thread that yields to all else comes nowhere on a busy CPU
		# shellcheck disable=SC2016
		taskset -c "$cpu" sh -c 'echo here >>"$0"; exec chrt -i 0 sh -c "$1"' "$TMP/awake" \
			'until [ $((i += 1)) -gt 100000000 ]; do :; done' 2>/dev/null &
		loops="$loops $!"
	done
	until [ "$(grep -c here "$TMP/awake")" -ge "$(echo "$loops" | wc -w)" ]; do
		# shellcheck disable=SC2086
		kill -0 $loops 2>/dev/null || skip "no thread can be bound to a CPU and be idle there"
	done
}

# again: once more? The kernel has told that it hides events (what interrupts a thread of init may be ours); 5 times
again() {
	case $err in *"unrecorded event"*) ;; *) return 1 ;; esac
	tries=$((${tries:-0} + 1))
	[ $tries -le 5 ]
}
