# Code made at run time that has become data is left alone, although it looks like ours.
# needs: user
. tests/lib/lib.sh
. tests/lib/attach.sh

start_ready "$TARGETS/recycled"
trace -qn 'pid$target:jit:*recycled_add*:entry /!n++/ { printf("armed\n"); }' -x switchrate=50hz -p "$target"
traced
tell now
waits_for "$TMP/said" data "the target"
end_trace
is "status" "$status" 0
tell look
waits_for "$TMP/said" "same\|changed" "the target"
is "its data" "$(tail -1 "$TMP/said")" same
wait "$target"
is "its status" "$?" 0
target=
finish
