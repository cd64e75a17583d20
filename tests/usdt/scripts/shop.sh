# Static probes of a program with strings as arguments.
. tests/lib/lib.sh
. tests/lib/scripts.sh
script shop -c "$TARGETS/usdt 30"
is "goods" "$(cell apple) $(cell pear) $(cell fig)" "10 10 10"
is "sold" "$(cell sold)" 30
is "last" "$(cell last)" 29
is "opened" "$(cell opened)" "$(echo "$said" | grep -c ^open)"
finish
