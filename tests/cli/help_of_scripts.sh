# --help behind -s: the comment that the script begins with; without one, the usage of the command.
. tests/lib/lib.sh
PATH=$(dirname "$DTRACE"):$PATH
export PATH

# helps SCRIPT WANT
helps() {
	d -s "$1" --help
	ends 0 "$1"
	is "$1" "$out$err" "$2"
}

cat >"$TMP/long.d" <<'END'
#!/usr/bin/env -S dtrace -s

/*
 * long.d: what it does.
 *
 *   long.d [PROGRAM]     "": every program
 */
/* not this */
BEGIN { printf("%d", $1); exit(0); }
END
helps "$TMP/long.d" 'long.d: what it does.

  long.d [PROGRAM]     "": every program'
printf '#!/usr/bin/env -S dtrace -s\n/* short.d: one line.  -c COMMAND */\nBEGIN { /* no */ exit(0); }\n' >"$TMP/short.d"
helps "$TMP/short.d" "short.d: one line.  -c COMMAND"
# -h behind a program is for help, before it and behind a text for a header
cp "$TMP/short.d" "$TMP/made.d"
(cd "$TMP" && "$DTRACE" -s made.d -h >"$TMP/out" 2>"$TMP/err") || fail "-h behind a program: status $?"
is "-h behind a program" "$(cat "$TMP/out" "$TMP/err")" "short.d: one line.  -c COMMAND"
[ ! -e "$TMP/made.h" ] || fail "-h behind a program: a header"
(cd "$TMP" && "$DTRACE" -h -s made.d) || fail "-h before a program: status $?"
[ -e "$TMP/made.h" ] || fail "-h before a program: no header"
echo 'provider p { probe a(); };' >"$TMP/plain.d"
(cd "$TMP" && "$DTRACE" -s plain.d -h) || fail "-h behind a text: status $?"
grep -q P_A "$TMP/plain.h" || fail "-h behind a text: no header"
printf '/* it has no end' >"$TMP/open.d"
helps "$TMP/open.d" "it has no end"
printf 'BEGIN { exit(0); } /* no */\n' >"$TMP/none.d"
for script in none.d absent.d .; do
	d -s "$TMP/$script" --help
	ends 0 "$script"
	like "$script" "$out" "Usage: dtrace *"
done
awk 'BEGIN { print "/*"; for (i = 0; i < 5000; i++) print "a line" }' >"$TMP/endless.d"
d -s "$TMP/endless.d" --help
ends 0 "a comment without end"
is "a comment without end: lines" "$(wc -l <"$TMP/out")" 99
mkfifo "$TMP/fifo"
d -s "$TMP/fifo" --help
like "a pipe" "$out" "Usage: dtrace *"

for script in dscripts/bin/*.d; do
	out=$("$script" --help 2>&1) || fail "$script --help: status $?"
	name=$(basename "$script" .d)
	like "$script --help" "$out" "*$name.d*"
	is "$script -h" "$("$script" -h 2>&1)" "$out"
done
finish
