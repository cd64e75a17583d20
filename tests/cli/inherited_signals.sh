# A signal that ends a run does so even where it was inherited as ignored or blocked, as of a script's
# background command; a launched program is given what it would have inherited.
# needs: user
. tests/lib/lib.sh
need env

began() { # began FRONT: BEGIN has printed
	until_said "$TMP/out" began "$1" || fail "never began: $(cat "$TMP/err")"
}

# ended_by HOW SIGNAL: env HOW ignores or blocks it; the run must come to its end
ended_by() {
	: >"$TMP/out"
	env "$1=$2" "$DTRACE" -x switchrate=20hz -qn 'BEGIN { printf("began\n"); @ = count(); }
		END { printf("end\n"); }' >"$TMP/out" 2>"$TMP/err" </dev/null &
	front=$!
	began $front
	kill "-$2" $front
	until_gone $front || {
		fail "$1 SIG$2: runs on"
		kill -9 $front
	}
	wait $front
	is "status after $1 SIG$2" $? 0
	is "$1 SIG$2" "$(sed 's/  *//' "$TMP/out")" 'began
end

1'
}
for sig in INT TERM HUP QUIT; do
	ended_by --ignore-signal $sig
	ended_by --block-signal $sig
	ended_by --default-signal $sig
done

# what a shell does for `command &` without job control
sh -c '"$DTRACE" -x switchrate=20hz -qn "BEGIN { printf(\"began\n\"); }" >"$1" 2>&1 </dev/null & echo $!; wait' \
	sh "$TMP/background" >"$TMP/pid" &
shell=$!
until_said "$TMP/background" began $shell || fail "in the background: never began"
front=$(cat "$TMP/pid")
kill -INT "$front"
until_gone "$front" || {
	fail "in the background of a script: kill -INT does nothing"
	kill -9 "$front"
}
wait $shell

# before it traces: nothing that is waited for keeps it
mkfifo "$TMP/script"
env --ignore-signal=INT "$DTRACE" -s "$TMP/script" >"$TMP/out" 2>"$TMP/err" </dev/null &
front=$!
exec 9>"$TMP/script" # its reader is there
kill -INT $front
until_gone $front || {
	fail "SIGINT while the script is read: waits on"
	kill -9 $front
}
exec 9>&-
wait $front

for how in ignore block default; do
	env --$how-signal=INT,QUIT,HUP,TERM grep -E "^Sig(Blk|Ign|Cgt)" /proc/self/status >"$TMP/want"
	env --$how-signal=INT,QUIT,HUP,TERM "$DTRACE" -qn 'BEGIN { x = 1; }' \
		-c 'grep -E "^Sig(Blk|Ign|Cgt)" /proc/self/status' >"$TMP/out" 2>"$TMP/err" </dev/null
	is "what a program gets, $how" "$(grep Sig "$TMP/out")" "$(cat "$TMP/want")"
done
finish
