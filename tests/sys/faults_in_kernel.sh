# Clauses on page faults and address space run whole in the kernel, as far as they compute and aggregate: the same results as of records, and what the program knows.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf

said() { # said KIND: how many the program says it has made
	echo "$out" | awk -v k="$1" '$1 == k { print $2 }'
}

# both WHAT CLAUSES SCRIPT: so many run in the kernel, without records, and come to what records come to
both() {
	d -qo "$TMP/plain" -x claim=off -n "$3" -c "$TARGETS/faults $TMP/data"
	ends 0 "$1, of records"
	d -vo "$TMP/told" -n "$3" -c "$TARGETS/faults $TMP/data"
	ends 0 "$1"
	like "$1: in the kernel" "$err" "*run in the kernel: $2 clause* of pf*records read: * of perf events, 0 of BPF programs*"
	d -qo "$TMP/kept" -n "$3" -c "$TARGETS/faults $TMP/data"
	ends 0 "$1"
	is "$1: nothing is said" "$err" ""
	is "$1" "$(cat "$TMP/kept")" "$(cat "$TMP/plain")"
	grep -q '[0-9]' "$TMP/plain" || fail "$1: nothing was counted"
}
kept() { # kept WORDS...: the number behind them
	awk -v w="$*" '{ gsub(/^ +/, ""); gsub(/ +/, " ") } index($0, w " ") == 1 { print $NF; exit }' "$TMP/kept"
}

# where the program has each kind: the upper bits of their addresses
mine='pid == $target && arg0 >= 0x610000000000 && arg0 < 0x6b0000000000'
both "when they end" 4 "int pages[long];
	pf:::dzero_flt, pf:::cow_flt, pf:::gp_flt /$mine/ { pages[arg0 >> 40]++; @[probename, arg0 >> 40, arg2] = max(pages[arg0 >> 40]); }
	pf:::av_flt /$mine/ { self->n++; @v[execname, arg0 >> 40] = max(self->n); }"
is "fresh pages" "$(kept dzero_flt $((0x61)) 0)" "$(said zero)"
is "pages that are read and then written" "$(kept cow_flt $((0x62)) 0)" "$(($(said zero-read) + $(said upgrade)))"
is "a stack that grows" "$(kept gp_flt $((0x65)) 0)" "$(said guard)"
is "pages that the kernel fills" "$(kept dzero_flt $((0x68)) 1)" "$(said zero-kernel)"
is "violations" "$(kept faults $((0x67)))" "$(said violation)"

# new pages and copies alone are told when they begin
both "when they begin" 2 "self long last; pf:::dzero_flt, pf:::cow_flt /$mine/ { self->last = timestamp > self->last ? timestamp : 0; n++; @[probename, arg0 >> 40, arg2, self->last != 0] = count(); @n = max(n); }"
is "fresh pages, at the beginning" "$(kept dzero_flt $((0x61)) 0 1)" "$(said zero)"

both "address space" 2 'long held; pf:::valloc /pid == $target && arg0 >= 0x690000000000 && arg0 < 0x6a0000000000/ { held += arg2; @h["most", args[1] == pid] = max(held); }
	pf:::vfree /pid == $target && arg0 >= 0x690000000000 && arg0 < 0x6a0000000000/ { held -= arg2; @[arg0 & 0xffffff, arg2 / 4096, arg3 & 0xffff, held] = count(); }'
is "bytes that were held" "$(kept most 1)" $((30 * 4096))

# what is told at the end of a hard fault has a record
d -x explain -n 'pf:::hp_flt { n++; } BEGIN { exit(0); }'
like "hard ones" "$err" "*pf:::hp_flt at line 1: makes records: it has probes whose programs keep nothing*"
d -lvn 'pf:::cow_flt { n++; }'
like "-lv" "$out" "*line 1: is kept in the kernel*"
finish
