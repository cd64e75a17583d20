# GDB's interface for code made at run time: known before its first call, and gone when it is taken
# back.
# needs: user
. tests/lib/lib.sh

d -qn 'pid$target:jit:made_*:entry { @[probefunc, ufunc(uregs[R_PC])] = count(); }' -c "$TARGETS/gdbjit 500"
ends 0 "gdbjit"
is "counts" "$(echo $out)" 'made_add 500 made_add jit`made_add 500'
finish
