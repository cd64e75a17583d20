# --doctor: one line for each thing that tracing may need, with a verdict.
# needs: user
. tests/lib.sh

d --doctor
is "stderr" "$err" ""
is "rows" "$(awk '{ print $1 }' "$TMP/out" | tr '\n' ' ')" "ptrace Yama container debug perf tracefs tracepoints BPF BTF fentry cgroups uprobes counters "
bad=$(grep -Ev '^[a-zA-Z ]{12} (works   |limited |missing ) [^ ].*$' "$TMP/out")
is "rows of another form" "$bad" ""
if grep -Eq '^ptrace  *(works|limited)' "$TMP/out"; then
	ends 0 "--doctor where ptrace works"
else
	ends 1 "--doctor where it does not"
fi
finish
