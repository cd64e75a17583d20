# vtimestamp of a system probe: what the thread had been on a CPU by then, sleep left out.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system

d -qn 'syscall::clock_nanosleep:entry { self->t = timestamp; self->v = vtimestamp; }
	syscall::clock_nanosleep:return /self->t/ { printf("%d %d\n", timestamp - self->t >= 200000000, vtimestamp - self->v < 100000000); }' \
	-c 'sleep 0.2'
is "asleep" "$out" "1 1"
d -qn 'syscall::exit_group:entry { printf("%d\n", vtimestamp / 1000000); }' -c "$TARGETS/burn 0.3"
ms=$(echo "$out" | sed -n 's/^cpu //p')
got=$(echo "$out" | grep -v cpu | head -1)
[ "${got:-0}" -gt $((ms / 2)) ] && [ "${got:-0}" -lt $((ms * 2)) ] || fail "burnt $ms ms, vtimestamp says $got"
finish
