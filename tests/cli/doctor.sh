# --doctor: one line for each thing that tracing may need, with a verdict.
# needs: user
. tests/lib/lib.sh

d --doctor
is "stderr" "$err" ""
is "rows" "$(awk '{ print $1 }' "$TMP/out" | tr '\n' ' ')" "ptrace Yama container seccomp debug debuginfod perf counters tracefs tracepoints BPF BTF fentry cgroup page files interrupts kernel hardware runtimes "
bad=$(grep -Ev '^[a-zA-Z ]{12} (works   |limited |missing ) [^ ].*$' "$TMP/out")
is "rows of another form" "$bad" ""
is "a server" "$(DEBUGINFOD_URLS=http://127.0.0.1:9 "$DTRACE" --doctor | grep -c '^debuginfod *works.*:9$\|^debuginfod *missing')" 1
if grep -Eq '^ptrace  *(works|limited)' "$TMP/out"; then
	ends 0 "--doctor where ptrace works"
else
	ends 1 "--doctor where it does not"
fi
# what is not there is told with the probe that lacks it
if [ -e /sys/class/dmi/id ]; then
	is "platform" "$(grep -c '^hardware .*platform' "$TMP/out")" 0
else
	is "platform" "$(grep -c '^hardware  *limited  .*platform (/sys/class/dmi/id)' "$TMP/out")" 1
fi
[ "$(id -u)" = 0 ] || is "runtimes" "$(grep -c '^runtimes  *works' "$TMP/out")" 0
finish
