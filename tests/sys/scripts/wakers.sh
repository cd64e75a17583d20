# Who wakes whom: execname and args[1]->pr_fname of sched:::wakeup.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
script wakers switches -c "$TARGETS/switches 50"
n=$(echo "$out" | awk '$1 ~ /^(it|another)$/ && $2 == "it" { n += $3 } END { print n + 0 }')
[ "$n" -ge 50 ] || fail "50 sleeps are woken $n times: $out"
is "threads" "$(cell threads)" "$(echo "$out" | awk 'NF == 3 { n += $3 } END { print n }')"
finish
