# tick-N fires in the context of what it interrupts, on one CPU: one of arg0 and arg1 says where that was.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system

# one on each CPU: sooner or later it is one of these that is interrupted
burners=
trap 'kill $burners 2>/dev/null' EXIT
for cpu in $(seq "$(getconf _NPROCESSORS_ONLN)"); do
	"$TARGETS/burn" 60 >/dev/null &
	burners="$burners $!"
done
d -qn 'tick-5ms { @[(arg0 != 0) + (arg1 != 0)] = count(); } tick-5ms { @cpus[cpu] = count(); }
	tick-5ms /execname == "burn" && pid == tid && arg1/ { n++; } tick-10ms /n > 3/ { exit(0); } tick-60s { exit(1); }'
ends 0 "the thread that was interrupted"
like "which of the two" "$(echo "$out" | awk 'NF == 2 { print $1; exit }')" 1
is "on one CPU" "$(echo "$out" | awk 'NF { n++ } END { print n }')" 2

d -qn 'tick-5ms /arg0 && stackdepth/ { exit(0); }
	syscall::read:entry { @ = count(); } tick-60s { exit(1); }' -c "dd if=/dev/zero of=/dev/null bs=1 count=200000000"
ends 0 "kernel code"

# where only the timer fires, it is dtrace that was there; and as many
cat >"$TMP/both.d" <<'END'
tick-10ms { @with[(arg0 != 0) + (arg1 != 0)] = count(); n++; }
tick-10000us { m++; }
tick-1s { printf("%s\n", n > 50 && m > 50 ? "both" : "few"); exit(0); }
END
d -qs "$TMP/both.d"
ends 0 "how often"
like "how often, and where" "$out" "both
*1 *"
# shellcheck disable=SC2086
kill $burners 2>/dev/null
d -qs "$TMP/both.d"
like "on a machine that may be idle" "$out" "both*"
without_bpf
d -qs "$TMP/both.d"
like "idle CPUs that are not sampled" "$out" "both
*1 *"
finish
