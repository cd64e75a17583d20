# Every target lives when its front is killed with -9, and when both halves are, as good
# as every one does.
# needs: user
# timeout: 300
. tests/lib/lib.sh

n=$(killed_rounds 4 8 front)
is "targets that lived without the front" "$n" 32
rm -f "$TMP"/*
n=$(killed_rounds 2 5 both)
[ "$n" -ge 5 ] || {
	fail "$n of 10 targets lived without front and engine"
	cat "$TMP"/[0-9]*.*[0-9]
}
finish
