# The programs that are hardest on a tracer (docs/spec/pid-engine.md §6), one row each: traced they print what they print
# untraced, and what they count themselves is what is counted. Free and on one CPU; ADVERSE=full runs them
# longer, beside busy loops, too, and the tests of their own that others of them have.
# needs: user
# timeout: 290
. tests/lib/lib.sh

need taskset

# number | program | its operand for the short form | for the full form | what is probed besides
#   NAME: a function of the program, all its instructions; NAME:entry: only that; NAME=AS: the program
#   prints its number as AS; uncounted: it knows no numbers
table='
 1|t       |50 8|2000 8|leaf six work branchy hidden recurse tail
 3|jumps   |2000|100000|dive
 4|jumps   |20 1000|200 1000|nest
 6|storm   |300|20000|step handler:entry
 7|kids    |5|300|touch
 8|strange churn|200|10000|touch
 9|strange jobs|10|300|touch:entry
10|hostile selfmod|20|20|touch
14|t-static|20 4|2000 4|leaf work recurse
14|t-static-pie|20 4|2000 4|leaf work recurse
15|t-nopie |20 4|2000 4|leaf work recurse
15|t-low   |20 4|2000 4|leaf work recurse
15|t-high  |20 4|2000 4|leaf work recurse
17|zoo     |5 4|200 8|zoo_*
19|hostile calls|5|200|touch
20|t       |20 8|500 8|thread_main main
22|hostile srop|20|2000|srop_landing=touch on_redirect
23|hostile strict|20|20|touch
23|hostile limit|20|20|touch
24|odd blocked|20|2000|touch
24|odd int3|20|2000|touch
24|odd segv|20|2000|touch
24|odd restart|5|200|uncounted do_restart
24|odd sigsys|20|2000|touch ask
24|restartable|50|5000|uncounted main rseq_inc
24|strange debugger|30|30|touch
26|odd zombie|20|200|touch
26|odd execthread|20|200|uncounted main touch
26|strange shares|20|2000|touch
26|strange hides|20|200|touch
27|hostile fair|200|2000|touch:entry
'

full=
[ "${ADVERSE:-}" = full ] && full=1

# no PIE, and addresses that slots must be near to
if command -v cc >/dev/null; then
	cc -O1 -pthread -no-pie -fno-pie -Wl,-Ttext-segment=0x10000 -o "$TMP/t-low" tests/targets/t.c -lm &&
		cc -O1 -pthread -pie -fPIE -Wl,-Ttext-segment=0x7e0000000000 -o "$TMP/t-high" tests/targets/t.c -lm
fi 2>/dev/null

clauses() { # clauses FUNCTION...: one for each, which tells entries from the rest
	for f; do
		case $f in
		uncounted) ;;
		*=*) echo "pid\$target:a.out:${f%=*}: { @[probename == \"entry\" ? \"${f#*=}\" : \"-\"] = count(); }" ;;
		*:entry) echo "pid\$target:a.out:$f { @[probefunc] = count(); }" ;;
		*) echo "pid\$target:a.out:$f: { @[probename == \"entry\" ? probefunc : \"-\"] = count(); }" ;;
		esac
	done
}

one() { # one NUMBER PROGRAM WHAT...: under $1 = wrapper words, if any
	number=$1 program=$2
	shift 2
	name="$number, $program ($mode)"
	path=$TARGETS/${program%% *}
	[ -x "$path" ] || path=$TMP/${program%% *}
	[ -x "$path" ] || return 0
	[ "$program" = "${program#* }" ] || path="$path ${program#* }"
	# shellcheck disable=SC2086
	$path >"$TMP/plain" 2>&1 </dev/null
	plain=$?
	[ $plain != 77 ] || return 0 # not here
	rm -f "$TMP/agg"
	# shellcheck disable=SC2086
	$wrapper "$DTRACE" -qn "$(clauses "$@")" -x bufsize=8m -o "$TMP/agg" -c "$path" >"$TMP/out" 2>"$TMP/err" </dev/null
	status=$?
	[ $status = 0 ] || fail "$name: status $status: $(tail -3 "$TMP/err")"
	grep -v 'left out' "$TMP/err" >"$TMP/complaints" && fail "$name: $(cat "$TMP/complaints")"
	counts "$TMP/agg" | grep -v '^- ' >"$TMP/traced"
	is "$name: bad" "$(awk '$1 == "bad" { print $2 }' "$TMP/out" | sort -u)" "$(awk '$1 == "bad" { print $2 }' "$TMP/plain" | sort -u)"
	# those that count by the clock print other numbers each time
	case $program in
	*jobs* | *fair* | *storm* | *selfmod* | *strict* | *limit*) ;;
	*) is "$name: output" "$(cat "$TMP/out")" "$(cat "$TMP/plain")" ;;
	esac
	ran=$((ran + 1))
	[ -z "$full" ] || echo "$name: ran"
	[ "$1" != uncounted ] || return 0
	awk '{ print $1 }' "$TMP/traced" >"$TMP/names"
	counts "$TMP/out" | awk 'NR == FNR { traced[$1]; next } $1 in traced' "$TMP/names" - >"$TMP/own"
	awk 'NR == FNR { own[$1]; next } $1 in own' "$TMP/own" "$TMP/traced" >"$TMP/both"
	[ -s "$TMP/both" ] || fail "$name: nothing was counted"
	is "$name: counts" "$(cat "$TMP/both")" "$(cat "$TMP/own")"
}

rows() { # rows MODE WRAPPER...
	mode=$1
	shift
	wrapper=$*
	while IFS='|' read -r number program short long what; do
		[ -n "$program" ] || continue
		number=$(echo $number) program=$(echo $program)
		# shellcheck disable=SC2086
		one "$number" "$program ${full:+$long}$([ -n "$full" ] || echo "$short")" $what
	done <"$TMP/table"
}

ran=0
printf '%s\n' "$table" >"$TMP/table"
for which in ${ADVERSE_MODES:-free pinned ${full:+loaded}}; do
	case $which in
	free) rows free ;;
	pinned) rows "on one CPU" taskset -c 0 ;;
	loaded)
		busy=
		for _ in 1 2 3 4; do
			timeout 250 sh -c 'while :; do :; done' &
			busy="$busy $!"
		done
		rows "under load"
		# shellcheck disable=SC2086
		kill $busy
		wait
		;;
	esac
done
[ $ran -ge 25 ] || fail "only $ran rows ran"
finish
