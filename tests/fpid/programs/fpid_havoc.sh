# A program of another user that makes war on its tracer, in each of its ways, against clauses of every kind: the run comes to
# its end, nothing crashes, and no file but ours is written to. HAVOC_SECONDS says for how long at least.
# needs: root
# timeout: 900
. tests/lib/havoc.sh
havoc "${HAVOC_SECONDS-0}"
finish
