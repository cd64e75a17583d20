# usym, ufunc, umod and uaddr print user addresses as symbols.
# needs: user
. tests/lib.sh

d -qn 'pid$target:a.out:leaf:entry /!n++/ { usym(ucaller); ufunc(ucaller); umod(ucaller); uaddr(ucaller); }' -c "$TARGETS/t 1" -o "$TMP/agg"
ends 0 usym
like "as symbols" "$(tr -s ' ' <"$TMP/agg")" ' t`work t`work t t`work+0x*'
finish
