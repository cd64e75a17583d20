# States of connections, with the preprocessor.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
need cpp
"$DTRACE" --doctor | grep -q '^cgroup  *works' || skip "$("$DTRACE" --doctor | grep '^cgroup')"
script tcpstates -c "$TARGETS/nettraffic tcp 4 5 1000"
is "asked for" "$(cell state-syn-sent state-established)" 5
is "accepted" "$(cell state-syn-received state-established)" 5
is "established" "$(cell established)" 5
finish
