# Counters of the system that a program moves itself: as often as it has, or as the kernel's own files say.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf

n() { # n NAME: the number behind it; 0: there is none
	echo "$out" | awk -v w="$1" '$1 == w { n = $2 } END { print n + 0 }'
}

# forced WAY PROBES PREDICATE: the sums of their args[0] while sysnumbers goes this way
forced() {
	d -qn "$2 /$3/ { @[probename] = sum(args[0]); }" -c "$TARGETS/sysnumbers $1 $TMP/data"
	ends 0 "$1"
}
forced io 'sysinfo:::sysread, sysinfo:::readch, sysinfo:::syswrite, sysinfo:::writech' 'ppid == $target'
is "calls of read" "$(n sysread)" "$(n syscr)"
is "bytes read" "$(n readch)" "$(n rchar)"
is "calls of write" "$(n syswrite)" "$(n syscw)"
is "bytes written" "$(n writech)" "$(n wchar)"
[ "$(n sysread)" -gt 90 ] || fail "calls of read: $out"

forced forks sysinfo:::procovf 'pid == $target'
is "processes that could not be" "$(n procovf)" "$(n refused)"
is "all of them" "$(n procovf)" 30

case $(df --output=source "$TMP" | tail -1) in
/dev/*)
	forced direct 'sysinfo:::bread, sysinfo:::bwrite' 'pid == $target || !pid || execname == "kworker*"'
	[ "$(n bread)" -ge "$(n read)" ] || fail "requests to read: $(n bread) of $(n read)"
	[ "$(n bwrite)" -ge "$(n written)" ] || fail "requests to write: $(n bwrite) of $(n written)"
	;;
esac

if [ "$(getconf _NPROCESSORS_ONLN)" -gt 1 ]; then
	forced moves sysinfo:::cpumigrate 1
	[ "$(n cpumigrate)" -ge "$(n moves)" ] || fail "moves: $(n cpumigrate) of $(n moves)"
fi

# What the whole machine does, between what perf counts while the program runs and what it counts around all of it.
need perf
events="-e sched:sched_switch --filter next_pid==0 -e sched:sched_switch --filter prev_pid!=0
	-e sched:sched_migrate_task -e block:block_rq_issue --filter nr_sector>0&&!(rwbs~\"*D*\")"
[ ! -d /sys/kernel/tracing/events/csd ] || events="$events -e csd:csd_queue_cpu"
around() { # around FILE COMMAND...: perf's numbers, a line each
	file=$1
	shift
	set -f
	# shellcheck disable=SC2086
	perf stat -a -x, -o "$file" $events "$@"
}
cat >"$TMP/work" <<END
set -f
events='$events'
$(command -v perf) stat -a -x, -o "$TMP/inner" \$events $TARGETS/interrupts
END
around "$TMP/outer" "$DTRACE" -qn 'sysinfo:::idlethread { @["idle"] = sum(arg0); } sysinfo:::pswitch /tid/ { @["switches"] = sum(arg0); }
	sysinfo:::cpumigrate { @["moves"] = sum(arg0); } sysinfo:::bread, sysinfo:::bwrite { @["requests"] = sum(arg0); }
	sysinfo:::xcalls { @["calls"] = sum(arg0); }' -Z -c "sh $TMP/work" >"$TMP/out" 2>"$TMP/err" </dev/null ||
	fail "around: $(cat "$TMP/err")"
out=$(cat "$TMP/out")
perfs() { # perfs FILE LINE
	grep -v '^#' "$1" | awk -F, 'NF > 3' | sed -n "$2p" | awk -F, '{ print $1 + 0 }'
}
line=0
for name in idle switches moves requests calls; do
	line=$((line + 1))
	[ $line -le "$(echo "$events" | grep -o -- '-e ' | wc -l)" ] || break
	least=$(perfs "$TMP/inner" $line) most=$(perfs "$TMP/outer" $line) seen=$(n $name)
	[ "$least" -le "$seen" ] && [ "$seen" -le "$most" ] || fail "$name: $seen, perf counts $least to $most"
done
[ "$(perfs "$TMP/inner" 2)" -gt 0 ] || fail "perf counts nothing: $(cat "$TMP/inner")"
finish
