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

# The time up to a thread's end is told: who comes to a CPU leaves it, and the time between is what the programs have had.
cat >"$TMP/whole.d" <<'END'
sched:::on-cpu { @n["on"] = count(); self->on = timestamp; }
sched:::off-cpu { @n["off"] = count(); }
sched:::off-cpu /self->on/ { @t["ns"] = sum(timestamp - self->on); self->on = 0; }
END
for part in "$TARGETS/burn 0.2" "sh -c '$TARGETS/burn 0.1 & $TARGETS/burn 0.1; wait; :'"; do
	d -qs "$TMP/whole.d" -c "$part"
	ends 0 "$part"
	set -- $(echo "$out" | awk '$1 == "cpu" { cpu += $2 } { n[$1] = $2 } END { print cpu, n["on"], n["off"], n["ns"] }')
	[ "$2" = "$3" ] || fail "$part: came $2 times, left $3 times"
	[ "$4" -ge $(($1 * 900000)) ] || fail "$part: $4 ns told of $1 ms"
done

for probe in wakeup 'off-cpu /args[1]->pr_pid/'; do
	d -n "sched:::$probe { }" -c true
	ends 1 "$probe"
	like "$probe" "$err" "*probe description sched:vmlinux::*: needs CAP_PERFMON (or root, or kernel.perf_event_paranoid <= -1)*"
done
finish
