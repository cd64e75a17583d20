# Instructions of a restartable sequence are not probed: they would be restarted for ever.
# needs: user
. tests/lib/lib.sh

"$TARGETS/restartable" 1 | grep -q "^count 1" || skip "no rseq"
d -qn 'pid$target:a.out:rseq_inc:e { @ = count(); }' -c "$TARGETS/restartable 100"
ends 1 "an offset within"
like "the reason" "$err" "*failed to create probe at 'rseq_inc+0xe': it lies in a restartable sequence (rseq)*"
for offset in entry b 11; do
	timeout 20 "$DTRACE" -qn "pid\$target:a.out:rseq_inc:$offset { @ = count(); }" \
		-c "$TARGETS/restartable 100" >"$TMP/out" 2>&1
	case $offset in
	entry) is "count at entry" "$(counts "$TMP/out")" "count 100" ;;
	*) like "offset $offset" "$(cat "$TMP/out")" "*restartable*" ;;
	esac
done
d -n 'pid$target:a.out:rseq_inc:7,pid$target:a.out:rseq_inc:14 { @[probename] = count(); }' -c "$TARGETS/restartable 100"
ends 0 "around it"
is "counts around it" "$(counts "$TMP/out")" "14 100
7 100
count 100"
finish
