# An option that is accepted, but that nothing goes by, is told; -q and others say nothing. lockmem is the
# limit of the engine.
. tests/lib/lib.sh

d -x ctfpath=/x -x linkmode=static -n 'BEGIN { exit(0); }'
ends 0 "two of them"
is "two of them" "$(echo "$err" | sort)" "dtrace: description 'BEGIN ' matched 1 probe
dtrace: option ctfpath has no effect: types come from DWARF and BTF
dtrace: option linkmode has no effect: external symbols have the addresses of the running target"
d -n '#pragma D option bpflog
BEGIN { exit(0); }'
like "in a program" "$err" "*option bpflog has no effect: *"
d -qx ctfpath=/x -n 'BEGIN { exit(0); }'
is "-q" "$err" ""
d -x cleanrate=10hz -x bufsize=1m -x strsize=100 -n 'BEGIN { exit(0); }'
is "others" "$err" "dtrace: description 'BEGIN ' matched 1 probe"

"$DTRACE" -x lockmem=64k -qn 'BEGIN { printf("armed\n"); } tick-1hz /n++ > 20/ { exit(0); }' >"$TMP/out" 2>"$TMP/err" &
front=$!
until grep -q armed "$TMP/out" || ! kill -0 $front 2>/dev/null; do sleep 0.01; done
engine=$(engine_of $front)
is "lockmem" "$(awk '/Max locked memory/ { print $4 }' "/proc/$engine/limits")" 65536
kill -INT "$front"
kill -TERM "$front"
wait $front
finish
