# kill -9 of the front: a process of -p is let go, unpatched.
# needs: user
. tests/lib/lib.sh
. tests/lib/attach.sh

start_waits 4
tell spin
trace -qn 'BEGIN { printf("armed\n"); } pid$target:a.out:count_me: { @ = count(); }' -x switchrate=50hz -p "$target"
traced
kill -9 "$tracer"
wait "$tracer" 2>/dev/null
tracer=
until_let_go "$target" "the target"
unharmed "$target" "afterwards"
end_waits
finish
