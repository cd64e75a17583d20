# Statistics of memory: pages that a program touches.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
script vmfaults -c "$TARGETS/counters 400"
is "pages of touch()" "$(cell 'counters`touch')" 400
[ "$(cell zfod)" -ge 400 ] && [ "$(cell as_fault)" -ge "$(cell zfod)" ] || fail "$out"
finish
