# After every run, also a failed one, no process of ours remains.
# needs: user
. tests/lib/lib.sh

marker=dtrace-leftover-$$
cp "$TARGETS/t" "$TMP/$marker"
d -qn 'BEGIN { exit(0); }' -c "$TMP/$marker 100000000"
d -qn 'nosuch { }' -c "$TMP/$marker 100000000"
d -qn 'BEGIN { trace(nosuch); }' -c "$TMP/$marker 100000000"
d -ln 'pid$target:::entry' -c "$TMP/$marker 100000000"
d -en 'BEGIN { exit(0); }' -c "$TMP/$marker 100000000"
i=0
while ps -e -o args= | grep -v grep | grep -q "$marker" && [ $i -lt 50 ]; do
	i=$((i + 1))
	sleep 0.1
done
left=$(ps -e -o pid=,args= | grep -v grep | grep "$marker")
is "left behind" "$left" ""
finish
