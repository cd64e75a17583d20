# Clauses on what virtual memory does run whole in the kernel, as far as they compute and aggregate: the same results as of records, and what /proc says.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf

# where its stack begins says how many pages of it there are to copy
faults="setarch -R $TARGETS/faults $TMP/data"

said() { # said KIND: how many the program says it has made
	echo "$out" | awk -v k="$1" '$1 == k { print $2 }'
}
kept() { # kept WORDS...: the number behind them
	awk -v w="$*" '{ gsub(/^ +/, ""); gsub(/ +/, " ") } index($0, w " ") == 1 { print $NF; exit }' "$TMP/kept"
}

# both WHAT CLAUSES SCRIPT: so many run in the kernel, without records, and come to what records come to
both() {
	d -qo "$TMP/plain" -x claim=off -n "$3" -c "$faults"
	ends 0 "$1, of records"
	d -vo "$TMP/told" -n "$3" -c "$faults"
	ends 0 "$1"
	like "$1: in the kernel" "$err" "*run in the kernel: $2 clause* of vminfo*records read: * of perf events, 0 of BPF programs*"
	d -qo "$TMP/kept" -n "$3" -c "$faults"
	ends 0 "$1"
	is "$1: nothing is said" "$err" ""
	is "$1" "$(grep -v '^ *all' "$TMP/kept")" "$(grep -v '^ *all' "$TMP/plain")"
	grep -q '[0-9]' "$TMP/plain" || fail "$1: nothing was counted"
}

# a fault is of several rows, in their order
both "faults" 7 'self int n; int p; vminfo:::as_fault /pid == $target/ { self->n++; }
	vminfo:::maj_fault, vminfo:::min_fault /pid == $target/ { self->m++; @o["in order", self->n == self->m, arg0] = min(1); last[pid] = probename == "maj_fault" ? 2 : 1; }
	vminfo:::zfod, vminfo:::cow_fault, vminfo:::pgrec /pid == $target && last[pid] != 1/ { @z["of no fault", probename] = count(); }
	vminfo:::prot_fault /pid == $target/ { p += args[0]; @v["forbidden", execname] = max(p); }'
is "violations" "$(kept forbidden faults)" 10
is "in order" "$(grep -c 'in order *1 ' "$TMP/kept")" 1
is "each row of a fault" "$(grep -c 'in order *0 \|of no fault' "$TMP/kept")" 0

both "copies" 1 'self int c; vminfo:::cow_fault /pid == $target/ { self->c += arg0; n++; @["copies"] = max(self->c * (n > 0)); }'

# what another tracepoint of the kernel tells; who samples user stacks meanwhile has faults that the kernel does nothing about
d -vo "$TMP/kept" -n 'int n; vminfo:::as_fault /pid == $target/ { n += arg0; @["faults"] = max(n); }
	rawtp:::page_fault_user, rawtp:::page_fault_kernel /pid == $target && curthread->pagefault_disabled == 1/ { @d["handled"] = count(); }' \
	-c "$faults"
ends 0 "all faults"
like "all faults" "$err" "*run in the kernel: 1 clause of vminfo*"
is "all faults" "$(($(kept faults) + $(said violation)))" "$(kept handled)"

# pages that are read from a disk: as many as bytes of them
d -qo "$TMP/kept" -n 'long requests, pages; vminfo:::pgin { requests += args[0]; @["requests", requests > 0] = sum(args[0]); } vminfo:::pgpgin { pages += args[0]; @["pages", pages >= requests] = sum(args[0]); }
	END { printf("same %d\n", pages >= requests); }' -c "$faults"
ends 0 "pages"
[ "$(said hard)" = 0 ] || is "pages" "$(kept same)" 1
d -lvn 'vminfo:::cow_fault { n++; }'
like "-lv" "$out" "*line 1: is kept in the kernel*"
finish
