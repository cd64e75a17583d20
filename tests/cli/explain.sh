# --explain tells what a tag means; and every program it shows has that error.
. tests/lib/lib.sh

d --explain D_PRAGMA_UNUSED
ends 0 "--explain"
is "--explain" "$out" "D_PRAGMA_UNUSED: a pragma speaks of a name that is not defined
	#pragma D attributes Stable/Stable/Common nosuch
	BEGIN { }"
d --explain op_int
is "without D_, in small letters" "$out" 'D_OP_INT: the operator needs integers
	BEGIN { trace("a" & 1); }'
d --explain D_ARGS_MULTI
is "no program of its own" "$(echo "$out" | wc -l)" 1
d --explain D_NOSUCH
ends 1 "no such tag"
is "no such tag" "$err" "dtrace: no error has the tag 'D_NOSUCH'; -x errtags shows them"

shown=0
for tag in $(grep -oE '^TAG\([A-Z_]+' dlang/errtags.def | cut -c5-); do
	"$DTRACE" --explain "$tag" >"$TMP/said" || fail "--explain $tag: status $?"
	sed -n 's/^	//p' "$TMP/said" >"$TMP/example.d"
	[ -s "$TMP/example.d" ] || continue
	shown=$((shown + 1))
	d -x errtags -e -s "$TMP/example.d"
	ends 1 "$tag"
	like "$tag" "$err" "*\[D_$tag\]*"
done
[ $shown -ge 170 ] || fail "only $shown examples"
finish
