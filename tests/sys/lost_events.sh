# What found no room in a ring is told by diag:::lostevent, in its order of time, and as drops.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system

d -ln 'diag:::'
like "it is listed" "$out" "*diag *lostevent"

# nobody reads while the engine is kept busy
told() { # told WHAT PROBE: drops are told by the probe, no more than by the lines
	d -wqn 'BEGIN { n = 0; } diag:::lostevent { @[arg1 >= 0 && arg1 < 1024 ? "lost" : "where"] = sum(arg0); }
		diag:::lostevent /++n/ { exit(0); } '"$2"' { @d["records"] = max(stackdepth); }
		tick-200ms { chill(400000000); } tick-60s { exit(1); }' -c "dd if=/dev/zero of=/dev/null bs=1 count=200000000"
	ends 0 "$1"
	lost=$(awk '$1 == "lost" { print $2 }' "$TMP/out")
	drops=$(awk '/ drops? on CPU/ { n += $2 } END { print n + 0 }' "$TMP/err")
	[ "${lost:-0}" -gt 0 ] && [ "$lost" -le "$drops" ] || fail "$1: $lost lost, $drops drops: $err"
	like "$1: where" "$(grep -c where "$TMP/out")" 0
}
told "rings of perf" linux-raw_syscalls:::sys_enter
"$DTRACE" --doctor 2>/dev/null | grep -q '^BPF  *works' && told "the ring of BPF" syscall:::entry
finish
