# A program that blocks before its rendezvous: a signal ends the command and the program, and so does
# the death of the front.
# needs: user
. tests/lib/lib.sh

# gone PID: it has ended within two seconds
gone() {
	tries=0
	while kill -0 "$1" 2>/dev/null && ! grep -q '^State:.[ZX]' "/proc/$1/status" 2>/dev/null; do
		tries=$((tries + 1))
		[ $tries -lt 100 ] || return 1
		sleep 0.02
	done
}

for sig in TERM KILL; do
	"$DTRACE" -qn 'pid$target:a.out:main:entry { @ = count(); }' -x evaltime=main \
		-c "$TARGETS/stuck" >"$TMP/$sig" 2>"$TMP/err" </dev/null &
	front=$!
	tries=0
	until [ -s "$TMP/$sig" ] || [ $tries -gt 200 ]; do
		tries=$((tries + 1))
		sleep 0.02
	done
	engine=$(engine_of $front)
	target=$(sed -n 's/^stuck //p' "$TMP/$sig")
	kill -$sig $front
	wait $front 2>/dev/null
	gone "$engine" || fail "SIG$sig: the engine $engine goes on"
	gone "$target" || fail "SIG$sig: the target $target goes on"
done
finish
