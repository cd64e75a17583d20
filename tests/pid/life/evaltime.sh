# evaltime chooses where the target waits until its probes are enabled.
# needs: user
. tests/lib/lib.sh

for when in exec preinit postinit main; do
	d -qn 'pid$target:a.out:main:entry { printf("%s", probefunc); }' -x evaltime=$when -c "$TARGETS/t 1" -o "$TMP/agg.$when"
	ends 0 $when
	is "main is seen with evaltime=$when" "$(cat "$TMP/agg.$when")" main
done
d -qn 'pid$target:libc.so.6:malloc:entry { @ = count(); }' -x evaltime=exec -c "$TARGETS/t 1"
ends 1 "libc does not exist at exec"
like "libc does not exist at exec" "$err" "*does not match any probes*libc.so.6*loaded later*"
d -qn BEGIN -x evaltime=bogus
is "bad value" "$err" "dtrace: failed to set -x evaltime: Invalid value for specified option: 'bogus'; allowed: exec, preinit, postinit, main"
finish
