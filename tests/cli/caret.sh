# On a terminal an error shows the line of the program and where in it; elsewhere the message stands alone. The first line
# is the same; a text of several lines, or a long one, is shown by its beginning.
# needs: user
. tests/lib/lib.sh
need script

shown() { # shown ARGS...: what stands on the terminal
	printf '%s' "$DTRACE" >"$TMP/line"
	for word; do
		printf " '%s'" "$word" >>"$TMP/line"
	done
	script -qec "$(cat "$TMP/line")" "$TMP/typescript" </dev/null >/dev/null 2>&1
	tr -d '\r' <"$TMP/typescript" | sed -n '/^dtrace: [fi]/,/^[ 	]*^/p'
}
printf 'BEGIN\n{\n\ttrace(1;\n}\n' >"$TMP/t.d"
is "a script" "$(shown -s "$TMP/t.d")" "dtrace: failed to compile script $TMP/t.d: line 3: syntax error near \";\"
	trace(1;
	       ^"
is "a text" "$(shown -n 'BEGIN { 1 + }')" 'dtrace: invalid probe specifier BEGIN { 1 + }: syntax error near "}"
BEGIN { 1 + }
            ^'
is "a name" "$(shown -n 'BEGIN { trace(1); trace(execnam); }')" \
	'dtrace: invalid probe specifier BEGIN { trace(1); trace(execnam); }: in action list: failed to resolve execnam: Unknown variable name
BEGIN { trace(1); trace(execnam); }
                        ^'
is "a member" "$(shown -n 'BEGIN { x = 1 + curpsinfo->pr_fnam; }')" \
	'dtrace: invalid probe specifier BEGIN { x = 1 + curpsinfo->pr_fnam; }: in action list: pr_fnam is not a member of struct psinfo
BEGIN { x = 1 + curpsinfo->pr_fnam; }
                           ^'
is "a predicate" "$(shown -n 'BEGIN /execname/ { }')" \
	'dtrace: invalid probe specifier BEGIN /execname/ { }: in predicate: predicate result must be of scalar type
BEGIN /execname/ { }
       ^'
is "the second description" "$(shown -n 'BEGIN, syscall::nothing_such:entry { }')" \
	'dtrace: invalid probe specifier BEGIN, syscall::nothing_such:entry { }: probe description syscall::nothing_such:entry does not match any probes
BEGIN, syscall::nothing_such:entry { }
       ^'
printf 'BEGIN\n{\n\ttrace(1);\n\tprintf("%%d",\n\t    execname);\n}\n' >"$TMP/t.d"
is "an action" "$(shown -s "$TMP/t.d" | tail -2)" '	printf("%d",
	^'
printf '#pragma D option quite\nBEGIN { exit(0); }\n' >"$TMP/t.d"
is "a pragma" "$(shown -s "$TMP/t.d")" "dtrace: failed to compile script $TMP/t.d: line 1: failed to set option 'quite': Invalid option name
#pragma D option quite
 ^"
printf 'inline int two = nosuch;\nBEGIN { trace(two); }\n' >"$TMP/t.d"
is "a declaration" "$(shown -s "$TMP/t.d" | tail -2)" 'inline int two = nosuch;
                 ^'
d -n 'BEGIN { trace(1);
trace(nosuch); }'
is "a text of two lines" "$err" \
	'dtrace: invalid probe specifier BEGIN { trace(1);...: line 2: in action list: failed to resolve nosuch: Unknown variable name'
long=$(printf 'x = 1; %.0s' $(seq 100))
d -n "tick-1s /nosuch/ { $long }"
is "a long text" "$err" 'dtrace: invalid probe specifier tick-1s ...: line 1: in predicate: failed to resolve nosuch: Unknown variable name'
d -n "BEGIN { $long
y = 1 + ; }"
is "a syntax error in a long text" "$err" 'dtrace: invalid probe specifier BEGIN ...: line 2: syntax error near ";"'
d -n 'BEGIN { 1 + }'
is "in a file" "$err" 'dtrace: invalid probe specifier BEGIN { 1 + }: syntax error near "}"'
finish
