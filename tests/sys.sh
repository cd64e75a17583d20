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
