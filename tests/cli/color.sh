# -x color: bars in colour, always or on a terminal; with the sequences taken out all is as without, and the default has none.
# needs: user
. tests/lib/lib.sh

cat >"$TMP/bars.d" <<'END'
#pragma D option quiet
BEGIN
{
	@h = quantize(5); @h = quantize(500); @h = quantize(500);
	@l = lquantize(-3, -5, 5, 1); @l = lquantize(4, -5, 5, 1, -1);
	@n["less"] = sum(-3); @n["more"] = sum(7);
	printa(@h); printa(@l);
	setopt("agghist"); printa(@n);
	exit(0);
}
END
plain() {
	sed 's/\x1b\[[0-9]*m//g'
}
for encoding in ascii utf8; do
	d -x encoding=$encoding -s "$TMP/bars.d"
	ends 0 "$encoding"
	cp "$TMP/out" "$TMP/none"
	grep -q "$(printf '\033')" "$TMP/none" && fail "$encoding: colours by default"
	d -x encoding=$encoding -x color=always -s "$TMP/bars.d"
	ends 0 "$encoding: always"
	grep -q "$(printf '\033\\[36m')" "$TMP/out" || fail "$encoding: no colours: $out"
	plain <"$TMP/out" | cmp - "$TMP/none" || fail "$encoding: not the same text"
	d -x encoding=$encoding -x color=auto -s "$TMP/bars.d"
	cmp "$TMP/out" "$TMP/none" || fail "$encoding: colours in a file"
done
d -x color=blue -n BEGIN
ends 1 "another word"

command -v script >/dev/null 2>&1 || skip "no script(1): the terminal is not tried"
# painted ENV...: how many lines of what a terminal gets are in colour
painted() {
	env "$@" script -qec "$DTRACE -x color=auto -s $TMP/bars.d" "$TMP/typescript" </dev/null >/dev/null 2>&1
	grep -c "$(printf '\033\\[36m')" "$TMP/typescript"
}
[ "$(painted TERM=xterm)" -gt 3 ] || fail "no colours on a terminal: $(cat "$TMP/typescript")"
is "NO_COLOR" "$(painted TERM=xterm NO_COLOR=1)" 0
is "TERM=dumb" "$(painted TERM=dumb)" 0
is "no TERM" "$(painted -u TERM)" 0
finish
