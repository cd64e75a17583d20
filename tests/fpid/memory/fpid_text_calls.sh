# A page of the program whose texts are read over and over is asked of the kernel a few times: the calls
# that hooks make are seen by the kernel's own probes, and each text is counted all the same.
# needs: root
. tests/lib/lib.sh

d -qn 'syscall::process_vm_readv:entry /execname == "texts"/ { @ = count(); }
	END { printa("calls %@d\n", @); }' -c "$DTRACE -qn 'fpid\$target:a.out:take:entry { @[copyinstr(arg0)] = count(); }
	END { printa(\"%@d\n\", @); }' -c '$TARGETS/texts 20000'"
ends 0 "the two"
calls=$(printf '%s' "$out" | sed -n 's/^calls //p')
is "texts" "$(printf '%s' "$out" | awk '/^[0-9]+$/ { n += $1 } END { print n }')" 80000
[ "${calls:-0}" -gt 0 ] || fail "no calls at all"
[ "$calls" -lt 100 ] || fail "$calls calls for 80,000 texts, which lie in a few pages"
finish
