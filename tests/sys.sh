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
