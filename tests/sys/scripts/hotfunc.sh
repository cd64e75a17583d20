# Samples by function, of a program that is in one all the time.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
script hotfunc -c "$TARGETS/burn 0.3"
n=$(cell 'burn`burn')
all=$(cell all)
[ "$all" -ge 30 ] && [ $((n * 10)) -ge $((all * 8)) ] || fail "$n samples of $all in burn: $out"
finish
