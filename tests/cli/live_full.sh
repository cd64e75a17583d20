# -x live=full: a view of the aggregations that fills the terminal, with keys; the terminal is as before whatever ends it, what was
# printed meanwhile comes out behind it, also of a captured program; without a terminal it is -x live.
# timeout: 120
. tests/lib/lib.sh

cat >"$TMP/t.d" <<'END'
int n;
tick-10ms { n++; @calls[n & 1 ? "odd" : "even"] = count(); @lat[n & 1 ? "odd" : "even"] = quantize(n); }
tick-10ms /n == 1/ { printf("printed"); }
END

# no terminal: one drawing after another
"$DTRACE" -x live=full -x aggrate=20ms -qs "$TMP/t.d" -n 'tick-10ms /n == 100/ { exit(0); }' >"$TMP/out" 2>"$TMP/err" </dev/null
is "no terminal: status" $? 0
[ "$(grep -c '^  odd ' "$TMP/out")" -ge 2 ] || fail "no terminal: $(cat "$TMP/out")"
grep -q "$(printf '\033')" "$TMP/out" && fail "control sequences in a file"
d -x live=sometimes -n BEGIN
like "no value of it" "$err" "*allowed: on, off, full, full,capture*"

# a terminal that is not ours to open (no session has it): as on
if command -v script >/dev/null 2>&1; then
	echo 'tick-10ms /n == 100/ { exit(0); }' | cat "$TMP/t.d" - >"$TMP/ends.d"
	TERM=xterm script -qec "setsid -w $DTRACE -x live=full -x aggrate=20ms -qs $TMP/ends.d" "$TMP/typescript" </dev/null >/dev/null 2>&1
	[ "$(tr -d '\r' <"$TMP/typescript" | grep -c '  odd ')" -ge 2 ] || fail "no terminal of its own: $(cat "$TMP/typescript")"
fi

command -v tmux >/dev/null 2>&1 || skip "no tmux: the view is not tried"
TMUX_TMPDIR=$TMP
export TMUX_TMPDIR
unset TMUX
server=0 # each terminal has one of its own: one that ends would still be asked
terminal() { tmux -f /dev/null -L "t$server" "$@"; }
# seen WHAT PATTERN: it is on the screen before long
seen() {
	tries=0
	until terminal capture-pane -p >"$TMP/screen" && grep -q -- "$2" "$TMP/screen"; do
		tries=$((tries + 1))
		[ $tries -lt 1000 ] || {
			fail "$1: not seen: $2 in $(cat "$TMP/screen")"
			return 1
		}
		sleep 0.02
	done
}
begin() { # begin COMMAND: types it at a prompt of a terminal of 80 x 14
	terminal kill-server 2>/dev/null
	server=$((server + 1))
	terminal new-session -d -x 80 -y 14 "env PS1='ready> ' sh" || skip "tmux does not start"
	seen "a prompt" 'ready>'
	terminal send-keys "clear; stty -g >$TMP/before; $1; echo status \$?; stty -g >$TMP/after" Enter
}
as_before() { # as_before WHAT: the terminal is, with a prompt
	seen "$1" '^ready> *$'
	cmp "$TMP/before" "$TMP/after" || fail "$1: the terminal has other settings"
	is "$1: alternate screen" "$(terminal display-message -p '#{alternate_on}')" 0
	is "$1: cursor" "$(terminal display-message -p '#{cursor_flag}')" 1
}

begin "$DTRACE -qs $TMP/t.d -x live=full -x liverate=100ms"
seen "the view" '^dtrace  @calls @lat  2 rows, every 0.1 s'
seen "its head" 'v@calls  *  /s  *@lat  *median  *most'
seen "rows" '^odd  *[1-9]'
terminal send-keys '>'
seen "by the next column" ' @calls  *v/s '
terminal send-keys '<'
seen "by the first again" 'v@calls  */s '
seen "rows" '^odd  *[1-9]'
grep -q printed "$TMP/screen" && fail "a record is drawn over the view"
is "alternate screen" "$(terminal display-message -p '#{alternate_on}')" 1
terminal send-keys '/' o d d Enter
seen "a filter" '1 rows.*with odd'
terminal send-keys Enter
seen "a row" 'Distribution'
terminal send-keys Escape
terminal send-keys ' '
seen "held" 'FROZEN'
terminal capture-pane -p >"$TMP/a"
terminal send-keys '?'
seen "help" 'PgUp, PgDn'
terminal send-keys '?'
seen "help is gone" 'FROZEN'
terminal capture-pane -p >"$TMP/b"
cmp "$TMP/a" "$TMP/b" || fail "a held picture changes: $(diff "$TMP/a" "$TMP/b")"
terminal resize-window -x 50 -y 8
seen "a smaller screen" '^odd'
[ "$(awk '{ if (length($0) > n) n = length($0) } END { print n }' "$TMP/screen")" -le 50 ] || fail "wider than 50: $(cat "$TMP/screen")"
terminal resize-window -x 80 -y 14
terminal send-keys q
as_before "q"
terminal capture-pane -p -S -200 >"$TMP/all"
grep -q '^printed' "$TMP/all" || fail "what was printed: $(cat "$TMP/all")"
grep -q '^status 0' "$TMP/all" || fail "status: $(cat "$TMP/all")"
[ "$(grep -c '^  odd  *[0-9]' "$TMP/all")" = 1 ] || fail "the end as ever: $(cat "$TMP/all")"

# what does not compile ends at once, also where a program would have been captured
begin "$DTRACE -qn nonsense -x live=full,capture -c 'sleep 60'"
as_before "a script with an error"
terminal capture-pane -p -S -200 | grep -q '^status 1' || fail "a script with an error: $(terminal capture-pane -p -S -200)"

# a program's output: kept, its last lines are shown; it reads no keys, and it is ended by q
begin "$DTRACE -qs $TMP/t.d -x live=full,capture -c 'sh -c \"i=0; while :; do i=\\\$((i+1)); echo line \\\$i; read -r x && echo read \\\$x; sleep 0.05; done\"'"
seen "output" 'output of the program:'
seen "a line" '^line [0-9]'
terminal send-keys r
seen "order" '\^@calls'
terminal send-keys q
as_before "capture"
terminal capture-pane -p -S -2000 >"$TMP/all"
grep -q '^line 1$' "$TMP/all" || fail "the first line of the program is not printed: $(cat "$TMP/all")"
[ "$(grep -c '^line 1$' "$TMP/all")" = 1 ] || fail "its lines are printed twice"
grep -q '^read ' "$TMP/all" && fail "the program has read keys"

# ^Z gives the terminal back for as long; fg draws it again
begin "bash --norc --noprofile -i -c true; $DTRACE -qs $TMP/t.d -x live=full -x liverate=100ms"
seen "the view" '2 rows'
terminal send-keys C-z
tries=0
until [ "$(terminal display-message -p '#{alternate_on}')" = 0 ]; do
	tries=$((tries + 1))
	[ $tries -lt 500 ] || break
	sleep 0.02
done
is "stopped: alternate screen" "$(terminal display-message -p '#{alternate_on}')" 0
terminal send-keys fg Enter
seen "gone on" '2 rows'
terminal send-keys q
seen "ended" '^ready> *$'

# its program is killed
cat >"$TMP/sleeps.sh" <<END
echo \$\$ >$TMP/pid
exec sleep 1000
END
rm -f "$TMP/pid"
begin "$DTRACE -qs $TMP/t.d -x live=full -c 'sh $TMP/sleeps.sh'"
seen "a view of a program that sleeps" '2 rows'
kill -KILL "$(cat "$TMP/pid")"
as_before "its program is killed"

# on: rows are cut at the edge, the largest is the last
cat >"$TMP/long.d" <<'END'
string x;
BEGIN { x = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"; x = strjoin(x, x); n = 0; }
tick-1ms { @[strjoin("small", x)] = sum(1); @[strjoin("large", x)] = sum(3); @[strjoin("middle", x)] = sum(2); }
END
begin "stty cols 60 rows 12; $DTRACE -qs $TMP/long.d -x live=on -x aggrate=100ms"
terminal resize-window -x 60 -y 12
seen "long rows" '^  largex'
is "long rows: order" "$(awk '/x$/ { print substr($1, 1, 5) }' "$TMP/screen" | tail -3 | tr '\n' ' ')" "small middl large "
[ "$(awk '{ if (length($0) > n) n = length($0) } END { print n }' "$TMP/screen")" -le 60 ] || fail "wider than 60: $(cat "$TMP/screen")"
[ "$(grep -c 'xxxx' "$TMP/screen")" -le 3 ] || fail "a row is more than one line: $(cat "$TMP/screen")"
terminal send-keys C-c
seen "long rows: the end" '^ready> *$'

# whatever ends it
for sig in TERM SEGV; do
	begin "sh -c 'echo \$\$ >$TMP/pid; exec $DTRACE -qs $TMP/t.d -x live=full'"
	seen "the view before SIG$sig" '2 rows'
	kill -$sig "$(cat "$TMP/pid")"
	as_before "SIG$sig"
done
begin "$DTRACE -qs $TMP/t.d -n 'tick-10ms /n == 300/ { exit(3); }' -x live=full -x livekeys=off"
seen "a view without keys" '2 rows'
terminal send-keys q
as_before "exit()"
terminal capture-pane -p -S -200 | grep -q '^status 3' || fail "exit(): $(terminal capture-pane -p -S -200)"
terminal kill-server
finish
