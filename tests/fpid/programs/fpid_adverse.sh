# Programs that are hard to hook, with every function hooked at its entry, its returns, and both: their
# output is what it was, and what they count themselves is what we count.
# needs: user
# timeout: 500
. tests/lib/lib.sh
. tests/lib/adversaries.sh

adversary_kind count
adversaries
finish
