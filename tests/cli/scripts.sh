# A script may name the command in its first line; its operands are $1 and so on, its path is $0.
. tests/lib/lib.sh

cat >"$TMP/a.d" <<END
#!$DTRACE -qs
BEGIN
{
	printf("%s %s %d\n", \$\$0, \$\$1, \$2);
	exit(\$2);
}
END
sed -i "1s|#!|#!$(case $DTRACE in /*) ;; *) pwd | tr -d '\n'; echo / ;; esac)|" "$TMP/a.d"
chmod +x "$TMP/a.d"
out=$(cd "$TMP" && ./a.d foo 5)
status=$?
ends 5 "status"
is "operands" "$out" "./a.d foo 5"
printf 'BEGIN { printf("from stdin\\n"); exit(0); }' | "$DTRACE" -qs /dev/stdin >"$TMP/out" 2>"$TMP/err"
is "/dev/stdin" "$(head -1 "$TMP/out")" "from stdin"
d -s "$TMP/a.d" foo 5 -q
ends 5 "options behind operands"
is "options behind operands" "$err" ""
finish
