# profile-N without a program samples every CPU: kernel and user code, whoever runs.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system

"$TARGETS/burn" 2 >/dev/null &
burner=$!
d -qn 'profile-499 /pid == $1/ { @u[arg1 != 0] = count(); } sample-499 /pid == $1/ { @s["sample"] = count(); }
	profile-499 { @all["all"] = count(); @idle[pid == 0] = count(); } tick-500ms { exit(0); }' $burner
kill $burner 2>/dev/null
wait $burner 2>/dev/null
ends 0 "the machine"
like "the burner" "$out" "*sample *[1-9]*"
like "all CPUs" "$out" "*all *[1-9]*"
# kernel stacks
d -qn 'profile-499 /arg0/ { @[stack(2)] = count(); @b[func(arg0), mod(arg0)] = count(); } tick-1s { exit(0); }' -c "$TARGETS/t 1"
ends 0 "kernel code"
finish
