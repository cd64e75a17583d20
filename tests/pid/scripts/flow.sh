# Nested calls by the option flowindent.
. tests/lib/lib.sh
. tests/lib/scripts.sh
script flow -c "$TARGETS/t 9"
is "entries" "$(echo "$out" | grep -c -- '-> ')" $(($(said branchy) + $(said hidden) + 1))
is "returns" "$(echo "$out" | grep -c -- '<- ')" $(($(said branchy) + $(said hidden) + 1))
is "hidden in branchy in work" "$(echo "$out" | grep -c '^[ 0-9]*     -> hidden ')" "$(said hidden)"
finish
