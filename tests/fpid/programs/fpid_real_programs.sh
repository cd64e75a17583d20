# Real programs with every function hooked, at its entry, and at its returns too; with the programs that they start; attached to
# and left in the middle: what they print, and how they end, is as without a tracer.
# needs: user
# timeout: 900
. tests/lib/lib.sh
. tests/lib/programs.sh

# says WHAT FILE: as untraced
says() {
	cmp -s "$2" "$TMP/$program.free" || fail "$program, $1: (< untraced, > traced)
$(diff "$TMP/$program.free" "$2" | head -10)
$(head -5 "$TMP/now.err" "$TMP/err")"
}

# Those that tests of their own have at work are left to these; clang's libraries have more functions than there may be probes.
for program in ${REAL_PROGRAMS-coroutines exceptions flto rust perl openssl gcc clang java javac}; do
	case " $programs " in *" $program "*) ;; *) continue ;; esac
	every='fpid$target:::entry,fpid$target:::return'
	[ $program != clang ] || every='fpid$target:a.out::entry,fpid$target:a.out::return,fpid$target:libc.so*::entry'
	for probes in 'fpid$target:a.out::entry,fpid$target:libc.so*::entry' "$every"; do
		rm -f "$TMP/counts" "$TMP/now"
		echo "$(command_of $program) >$TMP/now 2>$TMP/now.err </dev/null; echo status \$? >>$TMP/now" >"$TMP/run.sh"
		d -qx follow -n "$probes { @[probename] = count(); }" -o "$TMP/counts" -c "sh $TMP/run.sh"
		ends 0 "$program, $probes"
		says "$probes" "$TMP/now"
		[ "$(awk '$1 == "entry" { print $2 }' "$TMP/counts")" -gt 1000 ] || fail "$program: $(cat "$TMP/counts" "$TMP/err")"
	done
	# shellcheck disable=SC2046
	(exec $(command_of $program) >"$TMP/now" 2>"$TMP/now.err" </dev/null) &
	target=$!
	"$DTRACE" -qn "$every { @[probename] = count(); } tick-200ms { exit(0); }" -p $target >"$TMP/out" 2>"$TMP/err" </dev/null
	wait $target
	echo "status $?" >>"$TMP/now"
	says "attached" "$TMP/now"
done
finish
