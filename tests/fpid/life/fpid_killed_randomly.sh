# kill -9 of the command at a moment that nobody has chosen, while real programs run, launched or attached to: they do not
# notice; what they print, and how they end, is as without a tracer. KILL_ROUNDS says how often, KILL_SEED which moments.
# needs: user
# timeout: 600
. tests/lib/lib.sh
. tests/lib/programs.sh

rounds=${KILL_ROUNDS-6}
seed=${KILL_SEED-$(date +%s)}
target=
front=
trap '[ -z "$front" ] || kill -9 $front 2>/dev/null; [ -z "$target" ] || kill -9 $target 2>/dev/null' EXIT

# ---- moments ----

state=$seed
random() { # random N: from 0 to N - 1, in $r
	state=$(((state * 1103515245 + 12345) % 2147483648))
	r=$((state / 1024 % $1))
}
pick() { # pick WORDS...: one of them, in $it
	random $#
	shift $r
	it=$1
}

# ended PID: within a minute
ended() {
	i=0
	while [ -d "/proc/$1" ] && ! grep -qs '^State:	Z' "/proc/$1/status"; do
		i=$((i + 1))
		[ $i -lt 6000 ] || return 1
		sleep 0.01
	done
}

trace() { # trace ARGS...: in the background, killed at a moment of this round
	"$DTRACE" -Zn "$probes { @[probefunc] = count(); }" "$@" >"$TMP/out" 2>"$TMP/err" </dev/null &
	front=$!
	sleep "$moment"
	kill -9 $front 2>/dev/null
	wait $front 2>/dev/null
	front=
}

round=0
while [ $round -lt "$rounds" ] && [ $failed = 0 ]; do
	round=$((round + 1))
	# shellcheck disable=SC2086
	pick $programs
	program=$it
	pick 'fpid$target:::entry' 'fpid$target:::entry,fpid$target:::return' 'fpid$target:a.out::entry,fpid$target:a.out::return' \
		'fpid$target:a.out:[a-gA-G]*:,fpid$target:libc.so*:mem*:' 'fpid$target:a.out:[^a-gA-G]*:,fpid$target:libc.so*:*alloc*:' \
		'pid$target:a.out::entry,pid$target:libc.so*:*alloc:entry'
	probes=$it
	random 150
	moment=$((r / 100)).$(printf %02d $((r % 100)))
	pick launched launched attached
	what="seed $seed, round $round: $program $it, $probes, after $moment s"
	rm -f "$TMP/now"
	case $it in
	launched)
		echo "$(command_of "$program") >$TMP/now 2>$TMP/now.err </dev/null; echo status \$? >>$TMP/now; echo >$TMP/over" >"$TMP/run.sh"
		rm -f "$TMP/over"
		trace -x follow -c "sh $TMP/run.sh"
		i=0
		until [ -e "$TMP/over" ]; do
			i=$((i + 1))
			# one that was killed before the program began
			if [ ! -e "$TMP/now" ] && [ $i -gt 200 ] || [ $i -gt 6000 ]; then break; fi
			sleep 0.01
		done
		[ -e "$TMP/now" ] || continue
		;;
	attached)
		# shellcheck disable=SC2046
		(exec $(command_of "$program") >"$TMP/now" 2>"$TMP/now.err" </dev/null 3>&-) &
		target=$!
		trace -p $target
		ended $target || fail "$what: it does not end"
		wait $target
		echo "status $?" >>"$TMP/now"
		target=
		;;
	esac
	cmp -s "$TMP/now" "$TMP/$program.free" || fail "$what: (< untraced, > traced)
$(diff "$TMP/$program.free" "$TMP/now" | head -10)
$(cat "$TMP/now.err" "$TMP/err")"
done
finish
