# sys.sh: what the tests of system probes share.
# shellcheck shell=sh

# need_perf_system: skip where the whole machine may not be seen, or no tracepoint can be read
need_perf_system() {
	"$DTRACE" --doctor 2>/dev/null | grep -q '^tracepoints  *works' ||
		skip "$("$DTRACE" --doctor 2>/dev/null | grep '^tracepoints')"
}
