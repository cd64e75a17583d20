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
	for cpu in $(seq 0 $(($(getconf _NPROCESSORS_ONLN) - 1))); do
		# shellcheck disable=SC2016
		chrt -i 0 taskset -c "$cpu" sh -c 'until [ $((i += 1)) -gt 100000000 ]; do :; done' 2>/dev/null &
		loops="$loops $!"
	done
}
