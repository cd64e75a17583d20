# The launched program has the front's standard input, environment, umask and signal mask.
# needs: user
. tests/lib/lib.sh

echo "from stdin" | "$DTRACE" -qn 'BEGIN { x = 1; }' -c cat >"$TMP/out" 2>"$TMP/err"
is "standard input" "$(head -1 "$TMP/out")" "from stdin"
sh -c 'grep -E "^Sig(Blk|Ign|Cgt)" /proc/self/status' >"$TMP/want"
d -qn 'BEGIN { x = 1; }' -c 'grep -E "^Sig(Blk|Ign|Cgt)" /proc/self/status'
is "signal state" "$(grep Sig "$TMP/out")" "$(cat "$TMP/want")"
export FOO=bar
d -qn 'BEGIN { x = 1; }' -c 'printenv FOO'
is "environment" "$(head -1 "$TMP/out")" bar
d -qn 'BEGIN { x = 1; }' -c 'sh -c "ulimit -n; umask"'
is "limits and umask" "$(head -2 "$TMP/out")" "$(sh -c 'ulimit -n; umask')"
finish
