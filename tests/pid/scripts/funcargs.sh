# All six register arguments, and the result at return.
. tests/lib/lib.sh
. tests/lib/scripts.sh
script funcargs -c "$TARGETS/t 200"
is "right" "$(cell right)" "$(said six)"
is "wrong" "$(cell wrong)" 0
is "bars" "$(echo "$out" | awk '/\|/ { n += $NF } END { print n }')" "$(said six)"
finish
