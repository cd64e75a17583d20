# On a terminal a syntax error shows the line of the program and where in it; elsewhere the message stands alone.
# needs: user
. tests/lib.sh
need script

shown() { # shown ARGS...: what stands on the terminal
	printf '%s' "$DTRACE" >"$TMP/line"
	for word; do
		printf " '%s'" "$word" >>"$TMP/line"
	done
	script -qec "$(cat "$TMP/line")" "$TMP/typescript" </dev/null >/dev/null 2>&1
	tr -d '\r' <"$TMP/typescript" | sed -n '/syntax error/,/\^/p'
}
printf 'BEGIN\n{\n\ttrace(1;\n}\n' >"$TMP/t.d"
is "a script" "$(shown -s "$TMP/t.d")" "dtrace: failed to compile script $TMP/t.d: line 3: syntax error near \";\"
	trace(1;
	       ^"
is "a text" "$(shown -n 'BEGIN { 1 + }')" 'dtrace: invalid probe specifier BEGIN { 1 + }: syntax error near "}"
BEGIN { 1 + }
            ^'
d -n 'BEGIN { 1 + }'
is "in a file" "$err" 'dtrace: invalid probe specifier BEGIN { 1 + }: syntax error near "}"'
finish
