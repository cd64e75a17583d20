# -p: a running process with eight threads; each call counts once, and after ^C, exit() and an error it
# is as it was.
# needs: user
. tests/lib/lib.sh
. tests/lib/attach.sh

prog='pid$target:a.out:count_me:entry,pid$target:a.out:count_me:return { @[probename] = count(); }'
signals() { # masks and dispositions of all threads
	cat /proc/"$target"/task/*/status | grep -E '^(SigPnd|ShdPnd|SigBlk|SigIgn|SigCgt):'
}

start_waits 8
before=$(signals)
trace -qn "BEGIN { printf(\"armed %d\n\", \$target); } $prog" -p "$target"
traced
tell run 1000
waits_for "$TMP/said" 'calls 8000' "the work"
end_trace
ends 0 "^C"
is "what was counted" "$(counts "$TMP/out")" "armed $target
entry 8000
return 8000"
is "notices" "$err" ""
unharmed "$target" "after ^C"
is "signals afterwards" "$(signals)" "$before"

tell spin
d -qn "$prog tick-200ms { exit(3); }" -p "$target"
ends 3 "exit()"
unharmed "$target" "after exit()"
d -qn 'pid$target:a.out:count_me:entry { n++; } pid$target:a.out:count_you:entry' -p "$target"
ends 1 "a program that does not compile"
unharmed "$target" "after an error"
d -ln 'pid$target:a.out:count_me:' -p "$target"
ends 0 "a list"
like "the list" "$out" "*pid$target*waits*count_me entry*"
unharmed "$target" "after a list"
d -qn 'pid$target:a.out:count_me:entry { exit(4); }' -p "$target"
ends 4 "exit() in a hit"
unharmed "$target" "after exit() in a hit"
tell halt
waits_for "$TMP/said" 'calls [1-9][0-9]*[1-9]' "the end of the work"
tell quit
target_ends
finish
