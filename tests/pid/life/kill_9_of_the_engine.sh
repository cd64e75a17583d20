# When the engine is killed with -9 the watchdog takes the breakpoints out, and the front says what
# became of the target. Who is at a breakpoint in that moment cannot be saved: 95 % live at 200 hits
# a second; how many less depends on who else keeps the engine from its CPU.
# needs: user
# timeout: 300
. tests/lib/lib.sh

n=$(killed_rounds 4 10 engine)
[ "$n" -ge 24 ] || {
	fail "$n of 40 targets lived"
	cat "$TMP"/[0-9]*.*[0-9]
}
like "the front's words" "$(cat "$TMP/1.1.err")" "dtrace: the tracing engine was ended by SIGKILL; the run is incomplete; pid *"
is "watchdogs left" "$(grep -lx dtrace-watchdog /proc/[0-9]*/comm 2>/dev/null | xargs -r -n1 dirname | xargs -rI{} grep -l "$TMP" {}/environ 2>/dev/null)" ""
finish
