# docs/spec/d-language.md §11.3: printa() shows the last snapshot, the first comes after aggrate and the last
# at the end; trunc() and clear() forget what was aggregated until their moment, but not what a printa()
# before them has not shown.
. tests/lib/lib.sh

# rounds WHAT WANT PROGRAM: three lines go through a program. Each is sent when the round of the last one, n, was
# printed: a line "n ...". WANT is what followed the numbers, and what was printed at the end.
rounds() {
	rm -f "$TMP/in" "$TMP/out"
	mkfifo "$TMP/in" "$TMP/out"
	"$DTRACE" -q -x aggrate=1h -x switchrate=100hz -n 'pid$target:libc:write:entry { n++; }'"$3" \
		-c 'sed -u s/^/got:/' <"$TMP/in" >"$TMP/out" 2>"$TMP/err" &
	exec 3>"$TMP/in" 4<"$TMP/out"
	got=
	for round in 1 2 3; do
		echo "$round" >&3
		said=
		counted=
		while [ -z "$said" ] || [ -z "$counted" ]; do
			read -r line <&4 || break
			case $line in got:*) said=$line ;; "$round "*) counted="$line" ;; esac
		done
		got="$got ${counted#* }"
	done
	exec 3>&-
	got="$got:$(tr -s ' \n' ' ' <&4)"
	exec 4<&-
	wait $!
	is "$1" "$got" "$2"
}

write='pid$target:libc:write:entry'
end='END { printa("%@d shown\n", @); }'
for forget in '' 'clear(@);' 'trunc(@);'; do
	rounds "printa $forget" " - - -:3 shown " "$write { @ = count(); printa(\"%@d shown\\n\", @); $forget printf(\"%d -\\n\", n); } $end"
done
rounds "trunc behind printa" " - - -:3 shown " "$write { @ = count(); printa(\"%@d shown\\n\", @); }
	$write { trunc(@); printf(\"%d -\\n\", n); } $end"
rounds "new data after trunc" " - - -: k 7 " "$write /n == 1/ { @[\"k\"] = sum(5); trunc(@); }
	$write /n == 3/ { @[\"k\"] = sum(7); } $write { printf(\"%d -\\n\", n); }"
rounds "new data after clear" " - - -: 50 -50 60 " "$write /n == 1/ { @n = min(5); @x = max(5); @s = sum(5); }
	$write /n == 2/ { clear(@n); clear(@x); clear(@s); }
	$write /n == 3/ { @n = min(50); @x = max(-50); @s = sum(60); } $write { printf(\"%d -\\n\", n); }"

# sums over time are exact, whatever the intervals
rm -f "$TMP/in" "$TMP/out"
for forget in 'clear(@);' '} tick-10ms { trunc(@);'; do
	for aggrate in 1ms 35ms 1s; do
		d -q -x aggrate=$aggrate -x switchrate=100hz -n "tick-10ms { @ = count(); n++; printa(\"%@d\\n\", @); $forget }
			tick-1ms { @ = count(); n++; } tick-10ms /++i == 20/ { exit(0); }
			END { printa(\"%@d\\n\", @); printf(\"all %d\\n\", n); }"
		is "the sum ($forget $aggrate)" "$(echo "$out" | awk '$1 != "all" { n += $1 } END { print n + 0 }')" "$(echo "$out" | sed -n 's/all //p')"
	done
done
finish
