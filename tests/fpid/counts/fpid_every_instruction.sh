# Every instruction of the ten functions of real programs that are called most: what the programs print, and how they end, is as
# untraced, with exceptions, threads, signals and coroutines within those functions; also while they are attached to and left. Of a
# function its entry and its first instruction have one count.
# needs: user
# timeout: 900
. tests/lib/lib.sh
. tests/lib/programs.sh

# every NUMBER [NAMES]: all instructions of so many of the functions in $TMP/top
every() {
	head -"$1" "$TMP/top" | sed "s/+/?/g; s/\(.*\) \(.*\)/fpid\$target:\1:\2:${2-}/" | paste -sd, -
}

# says WHAT: as untraced
says() {
	cmp -s "$TMP/now" "$TMP/$program.free" || fail "$program, $1: (< untraced, > traced)
$(diff "$TMP/$program.free" "$TMP/now" | head -10)
$(head -5 "$TMP/now.err" "$TMP/err")"
}

# runs PROBES CLAUSE OPTION...: what it says is in $TMP/now, what is counted in $TMP/counts
runs() {
	runs_probes=$1 runs_clause=$2
	shift 2
	rm -f "$TMP/counts" "$TMP/now"
	d "$@" -n "$runs_probes { $runs_clause }" -o "$TMP/counts" -c "sh $TMP/run.sh"
	ends 0 "$program, $runs_probes"
}

if command -v xz >/dev/null; then
	programs="$programs xz"
	seq 1 30000 >"$TMP/numbers"
	(xz -c "$TMP/numbers" 2>&1; echo "status $?") >"$TMP/xz.free"
fi

for program in ${EVERY_PROGRAMS-xz sqlite3 python3 signals threads coroutines exceptions flto rust perl bash openssl}; do
	case " $programs " in *" $program "*) ;; *) continue ;; esac
	[ $program = xz ] && command="xz -c $TMP/numbers" || command=$(command_of $program)
	echo "exec $command 2>$TMP/now.err </dev/null" >"$TMP/run.sh"
	echo "sh $TMP/run.sh >$TMP/now; echo status \$? >>$TMP/now" >"$TMP/status.sh"

	rm -f "$TMP/counts"
	d -qn 'fpid$target:::entry { @[probemod, probefunc] = count(); }' -o "$TMP/counts" -c "sh $TMP/run.sh"
	sort -k3nr "$TMP/counts" | awk 'NF == 3 && $2 !~ /[^A-Za-z0-9_]/ { print $1, $2 }' | head -10 >"$TMP/top"
	is "$program: functions" "$(wc -l <"$TMP/top")" 10

	rm -f "$TMP/counts"
	d -x follow -x fpidfallback=none -n "$(every 10) { @[probemod, probefunc, probename] = count(); }" -Zo "$TMP/counts" -c "sh $TMP/status.sh"
	ends 0 "$program"
	like "$program" "$err" "*fpid: *[1-9]*instructions: *[1-9]* hooked*"
	says "each instruction"
	awk 'NF == 4 { all++ }
		NF == 4 && $3 == "entry" { entry[$1 " " $2] = $4 }
		NF == 4 && $3 == "0" { first[$1 " " $2] = $4 }
		END {
			for (f in first) {
				seen++
				if (f in entry && entry[f] != first[f]) print f ":", entry[f], first[f]
			}
			if (seen < 5 || all < 50) print seen, "functions,", all, "probes"
		}' "$TMP/counts" >"$TMP/wrong"
	[ ! -s "$TMP/wrong" ] || fail "$program: entry and first instruction: $(cat "$TMP/wrong")"

	awk '$1 ~ /lzma/ { print $1, $2, $3, 2 * $4 }' "$TMP/counts" | sort >"$TMP/twice"
	rm -f "$TMP/counts"
	d -x fpidfallback=none -x aggsize=64m -Zn "$(every 10) { @[probemod, probefunc, probename] = sum(arg0 * 0 + 2); }" -o "$TMP/counts" -c "sh $TMP/run.sh"
	ends 0 "$program"
	mv "$TMP/out" "$TMP/now"
	echo "status $(echo "$err" | sed -n 's/.* exited with status //p' | grep . || echo 0)" >>"$TMP/now"
	says "each instruction, by code"
	if [ $program = xz ]; then
		awk '$1 ~ /lzma/ { print $1, $2, $3, $4 }' "$TMP/counts" | sort >"$TMP/sums"
		cmp -s "$TMP/twice" "$TMP/sums" || fail "$program: (< counted twice, > summed)
$(diff "$TMP/twice" "$TMP/sums" | head)"
	fi

	rm -f "$TMP/counts"
	d -x follow -x fpidfallback=none -x claim=off -qZn "$(every 2 "[0-9a-f]*") { @[probename] = max(uregs[R_RAX] ^ arg0); @t = max(timestamp); }" \
		-o "$TMP/counts" -c "sh $TMP/status.sh"
	ends 0 "$program"
	says "each instruction, by records"

	# shellcheck disable=SC2086
	(exec $command >"$TMP/now" 2>"$TMP/now.err" </dev/null) &
	target=$!
	for clause in '@[probename] = count();' '@[probename] = sum(arg0);' '@[probename] = count();' '@[probename] = max(timestamp + arg1);'; do
		"$DTRACE" -qZx fpidfallback=none -n "$(every 10) { $clause } tick-60ms { exit(0); }" -p $target >"$TMP/out" 2>"$TMP/err" </dev/null
	done
	wait $target
	echo "status $?" >>"$TMP/now"
	says "attached to and left"
done
finish
