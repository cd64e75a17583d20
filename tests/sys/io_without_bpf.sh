# Where no program may be loaded into the kernel, requests of a disk are seen by tracepoints: all but the files they are for.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need setpriv
case $(df --output=source "$TMP" | tail -1) in
/dev/*) ;;
*) skip "the scratch folder is on no disk" ;;
esac
without_bpf
keep_cpus_awake

writes() {
	rm -f "$TMP/ours"
	d -qo "$TMP/ours" -n 'io:::start /pid == $target && args[0]->b_flags & B_WRITE/ { @["start"] = sum(args[0]->b_bcount); }
	io:::done /pid == $target && args[0]->b_flags & B_WRITE/ { @["done"] = sum(args[0]->b_bcount); @t["time", args[0]->resp > 0] = count(); }
	io:::start /pid == $target && args[0]->b_bcount/ { @n[execname, args[1]->dev_pathname, args[2]->fi_pathname] = count(); }
	io:::start { @s[stack()] = count(); }' \
		-c "dd if=/dev/zero of=$TMP/data bs=1M count=8 conv=fsync"
	ends 0 "a writer"
}
bytes() { # bytes start|done
	awk -v end="$1" '$1 == end { n = $2 } END { print n + 0 }' "$TMP/ours"
}
writes
while [ "$(bytes done)" -lt 8388608 ] && again; do writes; done
for end in start done; do
	[ "$(bytes $end)" -ge 8388608 ] || fail "$end: $(bytes $end) bytes: $err"
done
like "device" "$(cat "$TMP/ours")" "*dd * /dev/* <unknown> *"
like "time" "$(cat "$TMP/ours")" "*time * 1 *"
case $(cat "$TMP/ours") in *time\ *\ 0\ *) fail "a request without time: $(cat "$TMP/ours")" ;; esac

d -n 'io:::start { trace(args[2]->fi_name); exit(0); } tick-1ms { exit(0); }'
like "members" "$err" "*probe description io:::start: needs CAP_BPF and CAP_PERFMON; running without in-kernel programs, so args\[\] members *fi_name* are empty*"
d -n 'io:::wait-start { }'
ends 1 "waits"
like "waits" "$err" "*probe description io:::wait-start: needs CAP_BPF*"
finish
