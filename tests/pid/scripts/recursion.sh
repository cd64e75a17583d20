# Depth of recursion in a thread-local counter.
. tests/lib/lib.sh
. tests/lib/scripts.sh
script recursion -c "$TARGETS/t 300"
is "calls" "$(cell calls)" "$(said recurse)"
is "deepest" "$(cell deepest)" 10
is "outermost" "$(cell outermost)" $(($(said recurse) / 10))
finish
