# docs/spec/d-language.md §11.3: printa(), trunc() and clear() are done at a snapshot of their moment, not
# at the next aggrate: what is aggregated later is not in it.
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
rounds "printa" " 1 2 3: " "$write { @ = count(); printf(\"%d \", n); printa(\"%@d\\n\", @); }"
rounds "trunc" " 1 1 1: " "$write { @ = count(); printf(\"%d \", n); printa(\"%@d\\n\", @); trunc(@); }"
rounds "new data after trunc" " - - -: k 7 " "$write /n == 1/ { @[\"k\"] = sum(5); trunc(@); }
	$write /n == 3/ { @[\"k\"] = sum(7); } $write { printf(\"%d -\\n\", n); }"
rounds "new data after clear" " - - -: 50 -50 60 " "$write /n == 1/ { @n = min(5); @x = max(5); @s = sum(5); }
	$write /n == 2/ { clear(@n); clear(@x); clear(@s); }
	$write /n == 3/ { @n = min(50); @x = max(-50); @s = sum(60); } $write { printf(\"%d -\\n\", n); }"
finish
