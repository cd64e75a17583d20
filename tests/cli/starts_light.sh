# What no script names is not tried and not read when tracing begins: neither counters (to close one waits for every
# CPU) nor programs in the kernel nor files that only other providers need.
# needs: user
. tests/lib/lib.sh
. tests/lib/attach.sh

need strace
strace -qq -o /dev/null true 2>"$TMP/err" || skip "strace does not work here: $(tail -1 "$TMP/err")"
# begins WHAT SCRIPT ARGS...: nothing but what any run reads
begins() {
	what=$1
	shift
	strace -f -qq -e trace=perf_event_open,bpf,open,openat,socket -o "$TMP/opened" "$DTRACE" -q "$@" >"$TMP/out" 2>&1 ||
		fail "$what: $(tail -1 "$TMP/out")"
	is "$what: counters and programs" "$(grep -cE 'perf_event_open\(|bpf\(|socket\(' "$TMP/opened")" 0
	is "$what: files of the machine" "$(grep -oE '"/(proc|sys)/[^"]*' "$TMP/opened" |
		grep -vE '^"/proc/(self|[0-9]+)/|^"/proc/sys/kernel/(perf_event_max_stack|yama/ptrace_scope)|^"/sys/devices/system/cpu/possible$')" ""
}
begins "BEGIN" -n 'BEGIN { exit(0); }'
begins "both" -n 'dtrace:::BEGIN, dtrace:::END { exit(0); }'
start_waits 1
begins "pid" -n 'pid$target:libc:write:entry { @ = count(); } BEGIN { exit(0); }' -p "$target"
end_waits
finish
