# Calls of functions; the program counts them itself.
. tests/lib/lib.sh
. tests/lib/scripts.sh
script funccount -c "$TARGETS/t 200"
for f in branchy hidden leaf main recurse six tail work; do
	is "$f" "$(cell $f)" "$(said $f)"
done
finish
