# A process that job control has stopped stays stopped, through attach and detach, and goes on at SIGCONT
# only; one that is stopped while it is traced stays so as well.
# needs: user
. tests/lib/lib.sh
. tests/lib/attach.sh

is_stopped() { # is_stopped WHAT [STATE]: a traced one is shown as t, however it stopped
	i=0
	until grep -q "^State:	${2-T}" "/proc/$target/status"; do
		i=$((i + 1))
		[ $i -lt 200 ] || {
			fail "$1: $(grep State: "/proc/$target/status")"
			return
		}
		sleep 0.01
	done
}

prog='pid$target:a.out:count_me:entry,pid$target:a.out:count_me:return { @[probename] = count(); }'
start_waits 2
kill -STOP "$target"
is_stopped "at first"
d -qn "BEGIN { exit(0); } $prog" -p "$target"
ends 0 "a stopped process"
is_stopped "after the first run"
unharmed "$target" "stopped"

trace -qn "BEGIN { printf(\"armed\n\"); } $prog" -p "$target"
traced
is_stopped "while it is traced" t
tell run 10
kill -CONT "$target"
waits_for "$TMP/said" 'calls 20' "SIGCONT while it is traced"
kill -STOP "$target"
is_stopped "once more" '[Tt]'
kill -CONT "$target"
tell run 10
waits_for "$TMP/said" 'calls 40' "stopped and continued"
kill -STOP "$target"
end_trace
ends 0 "^C"
is "what was counted" "$(counts "$TMP/out" | grep -v armed)" "entry 40
return 40"
is_stopped "after ^C"
unharmed "$target" "after ^C"
kill -CONT "$target"
tell run 1
waits_for "$TMP/said" 'calls 42' "SIGCONT afterwards"
tell quit
target_ends
finish
