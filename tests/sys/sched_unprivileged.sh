# Without privileges the traced program and its children are seen when they come to a CPU and leave it.
# needs: user
. tests/lib/lib.sh
"$DTRACE" --doctor | grep -Eq '^perf events  *(works|limited)' || skip "$("$DTRACE" --doctor | grep '^perf events')"
"$DTRACE" --doctor | grep -q '^tracepoints  *works' && skip "this user has the privileges"

d -qo "$TMP/ours" -n 'sched:::sleep /execname == "switches"/ { @["sleep"] = count(); }
	sched:::on-cpu /execname == "switches"/ { self->on = timestamp; }
	sched:::off-cpu /self->on/ { @["times"] = count(); @b["backwards"] = sum(timestamp < self->on); self->on = 0; }' -c "sh -c '$TARGETS/switches 50; :'"
ends 0 "switches"
slept=$(echo "$out" | awk '$1 == "sleep" { print $2 }')
ours=$(awk '$1 == "sleep" { print $2 }' "$TMP/ours")
times=$(awk '$1 == "times" { print $2 }' "$TMP/ours")
# its parent and its end are stops and sleeps as well
[ "${ours:-0}" -ge "$slept" ] && [ "${times:-0}" -ge "$slept" ] || fail "it slept $slept times: $(cat "$TMP/ours")"
is "time" "$(awk '$1 == "backwards" { print $2 }' "$TMP/ours")" 0

for probe in wakeup 'off-cpu /args[1]->pr_pid/'; do
	d -n "sched:::$probe { }" -c true
	ends 1 "$probe"
	like "$probe" "$err" "*probe description sched:vmlinux::*: needs CAP_PERFMON (or root, or kernel.perf_event_paranoid <= -1)*"
done
finish
