# Programs that are hard to hook, each hit of every function recorded with its stack: their output is what
# it was, and what they count themselves is what was recorded and lost.
# needs: user
# timeout: 500
. tests/lib/lib.sh
. tests/lib/adversaries.sh

adversary_kind stacks
adversaries
finish
