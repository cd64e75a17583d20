# A command that cannot be run is one clear sentence and status 1.
# needs: user
. tests/lib/lib.sh

d -n 'BEGIN { exit(0); }' -c /nonexistent
ends 1 missing
is missing "$err" "dtrace: failed to execute /nonexistent: No such file or directory"
is "printed" "$out" ""
PATH=/usr/bin:/bin
d -n 'BEGIN { exit(0); }' -c nosuchcommandinpath
ends 1 "not in PATH"
is "not in PATH" "$err" "dtrace: failed to execute nosuchcommandinpath: No such file or directory"
d -n 'BEGIN { exit(0); }' -c ''
ends 1 empty
like empty "$err" "dtrace: failed to execute *: No such file or directory"
printf 'not a program' >"$TMP/text"
chmod +x "$TMP/text"
d -n 'BEGIN { exit(0); }' -c "$TMP/text"
ends 1 "not an ELF"
like "not an ELF" "$err" "dtrace: failed to execute $TMP/text: *"
chmod -x "$TMP/text"
d -n 'BEGIN { exit(0); }' -c "$TMP/text"
ends 1 "not executable"
is "not executable" "$err" "dtrace: failed to execute $TMP/text: Permission denied"
d -n 'nosuch { }' -c /nonexistent
like "reported before any compile error" "$err" "dtrace: failed to execute*"
printf '#!/nonexistent/interpreter -x\n' >"$TMP/orphan"
printf '#!%s\n' "$TMP/orphan" >"$TMP/grandchild"
chmod +x "$TMP/orphan" "$TMP/grandchild"
for script in orphan grandchild; do
	for program in 'BEGIN { exit(0); }' 'pid$target:::entry { exit(0); }'; do
		d -qn "$program" -c "$TMP/$script"
		ends 1 "no interpreter"
		is "no interpreter of $script" "$err" \
			"dtrace: failed to execute $TMP/$script: its interpreter /nonexistent/interpreter: No such file or directory"
	done
done
finish
