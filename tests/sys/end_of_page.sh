# The last bytes of a page, with nothing behind it, are in the record of a system call: all that a breakpoint reads.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf

for prov in 'pid$target:a.out' syscall:; do
	d -x evaltime=exec -qn "$prov"':io_cancel:entry /pid == $target && (arg1 & 4095) > 4088/ { @[*(char *)arg1, arg1] = count(); }' \
		-c "$TARGETS/places 200"
	ends 0 "$prov"
	like "$prov: nothing is said" "$err" ""
	[ "$prov" = syscall: ] || read_there=$out
done
is "the end of a page" "$out" "$read_there"
[ -n "$out" ] || fail "the end of a page: nothing was counted"
finish
