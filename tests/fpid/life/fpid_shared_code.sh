# Functions whose ends are the same code, as those of libcrypto written in assembler: no two hooks are
# written over each other, and what is left behind is the library's own code.
# needs: user
. tests/lib/lib.sh
. tests/lib/attach.sh

lib=libcrypto.so.3
start_waits 1
tell load $lib
waits_for "$TMP/said" 'loaded\|cannot open' "the library"
grep -q loaded "$TMP/said" || skip "no $lib"
d -qn 'fpid$target:libcrypto*::return { @[ustack(3)] = count(); } tick-10ms { exit(0); }' -p "$target"
ends 0 "hooks in $lib"
unharmed "$target" "afterwards"
d -qn 'fpid$target:libcrypto*::entry,fpid$target:libcrypto*::return { @[probename] = count(); } tick-10ms { exit(0); }' -p "$target"
ends 0 "counters in $lib"
unharmed "$target" "after counters"
tell quit
target_ends
finish
