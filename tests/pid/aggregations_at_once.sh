# §11.3: a snapshot is taken at the moment of printa() and trunc(), not at the next aggrate.
. tests/lib.sh

# One byte goes through the program at a time: the next one is sent when the round of the last was printed.
mkfifo "$TMP/in" "$TMP/out"
"$DTRACE" -q -x aggrate=1h -x switchrate=100hz -n 'pid$target:libc:write:entry {
	@ = count(); printa("%@d\n", @); trunc(@); }' -c 'sed -u s/^/got:/' <"$TMP/in" >"$TMP/out" 2>"$TMP/err" &
exec 3>"$TMP/in" 4<"$TMP/out"
rounds=
for round in 1 2 3; do
	echo "$round" >&3
	said=
	counted=
	while [ -z "$said" ] || [ -z "$counted" ]; do
		read -r line <&4 || break
		case $line in got:*) said=$line ;; [0-9]*) counted=$line ;; esac
	done
	rounds="$rounds $said $counted"
done
exec 3>&-
wait $!
is "rounds" "$rounds" " got:1 1 got:2 1 got:3 1"
finish
