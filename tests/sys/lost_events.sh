# What found no room in a ring is told by diag:::lostevent, in its order of time, and as drops.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
unset _DTRACE_TESTING # stable output has the drop messages only

d -ln 'diag:::'
like "it is listed" "$out" "*diag *lostevent*"

# nobody reads while the engine is kept busy: what is told by the probe is what the lines tell, until the end
told() { # told WHAT PROBE EXIT OPTION...: exit() is called by what says EXIT
	what=$1 probe=$2 exit=$3
	shift 3
	d "$@" -wqn 'BEGIN { n = 0; } diag:::lostevent { @[arg1 >= 0 && arg1 < 1024 ? "lost" : "where"] = sum(arg0); n += arg0; }
		'"$exit"' '"$probe"'
		tick-200ms { chill(400000000); } tick-60s { exit(1); }' -c "dd if=/dev/zero of=/dev/null bs=1 count=200000000"
	ends 0 "$what"
	lost=$(awk '$1 == "lost" { print $2 }' "$TMP/out")
	drops=$(awk '/ drops? on CPU/ { n += $2 } END { print n + 0 }' "$TMP/err")
	[ "${lost:-0}" -gt 0 ] && [ "$lost" -eq "$drops" ] || fail "$what: $lost lost, $drops drops: $err"
	case $what in
	*ring*) like "$what: of which probes" "$err" "*drop*in rings of the kernel, of *a larger -x kernelbuf makes room*" ;;
	*) like "$what: of which probes" "$err" "*dtrace: drops by probe: *profile:::tick-1ms*larger buffers (-b)*" ;;
	esac
	like "$what: where" "$(grep -c where "$TMP/out")" 0
}
counts='{ @d["records"] = max(stackdepth); }'
at_once='diag:::lostevent { exit(0); }'
later='tick-1500ms /n/ { exit(0); }'
told "rings of perf" "linux-raw_syscalls:::sys_enter $counts" "$at_once"
told "rings of perf, and exit() by another probe" "linux-raw_syscalls:::sys_enter $counts" "$later"
if "$DTRACE" --doctor 2>/dev/null | grep -q '^BPF  *works'; then
	told "the ring of BPF" "syscall::write:entry $counts" "$at_once"
	told "the ring of BPF, and exit() by another probe" "syscall::write:entry $counts" "$later"
fi
told "a principal buffer" 'tick-1ms { trace(1); }' "$later" -b 64
finish
