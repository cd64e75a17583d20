# A program of another user that puts a descriptor of a file of root's, which it can name but not open, in the place of each one
# that appears is hooked, and the file stays as it is: with the open file shared, and where the kernel cannot do that.
# needs: root
# timeout: 180
. tests/lib/lib.sh
. tests/lib/attach.sh

own=$TMP/own
mkdir "$own" && cp "$TARGETS/snatch" "$own" && chmod 755 "$TMP" "$own" "$own/snatch"
echo secret >"$own/file"
chmod 600 "$own/file"
setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$own/snatch" || skip "another user cannot come to $own"

plain=$DTRACE
cat >"$TMP/denied" <<E
#!/bin/sh
exec "$TARGETS/deny" -getfd "$plain" "\$@"
E
chmod 755 "$TMP/denied"

for clause in '@ = count();' '@[arg0 & 1] = count();' '@ = max(timestamp);'; do
	for command in "$plain" "$TMP/denied"; do
		for round in 1 2 3 4; do
			DTRACE=$command
			what="$clause by $command, round $round"
			start_ready setpriv --reuid 65534 --regid 65534 --clear-groups "$own/snatch" "$own/file"
			trace -n 'BEGIN { printf("armed\n"); } fpid$target:a.out:touch:entry { '"$clause"' }' -p "$target"
			traced
			end_trace
			ends 0 "$what"
			like "$what" "$err" "*fpid: 1 function: 1 hooked*"
			is "$what: the file" "$(stat -c "%s %a %u" "$own/file") $(head -c 20 "$own/file")" "7 600 0 secret"
			tell
			exec 3>&-
			target_ends "$what"
			like "$what" "$(cat "$TMP/said")" "*touch [1-9]*snatched*"
			[ $failed = 0 ] || finish
		done
	done
done

DTRACE=$plain
for round in 1 2 3 4 5 6; do
	what="threads are born, round $round"
	start_ready setpriv --reuid 65534 --regid 65534 --clear-groups "$own/snatch" "$own/file" threads
	trace -n 'BEGIN { printf("armed\n"); } fpid$target:a.out:touch:entry { @[arg0 & 1] = count(); @m[arg0 & 1] = max(timestamp); }' -p "$target"
	traced
	end_trace
	ends 0 "$what"
	like "$what" "$err" "*fpid: 1 function: 1 hooked*"
	tell
	exec 3>&-
	target_ends "$what"
	[ $failed = 0 ] || finish
done
finish
