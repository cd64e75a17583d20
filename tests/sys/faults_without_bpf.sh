# Where no program may be loaded into the kernel, page faults are told by perf's samples: those that had to read, and all.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need setpriv
without_bpf

n() { # n WORDS...: the number behind them; 0: there are none
	echo "$out" | awk -v w="$*" '{ line = $0; gsub(/^ +/, "", line); gsub(/ +/, " ", line) }
		index(line, w " ") == 1 { n = $NF } END { print n + 0 }'
}
d -qn 'pf:::hp_flt /pid == $target && arg0 >> 40 == 0x65 && args[1] > 0x400000/ { @["beginnings", args[2]] = count(); }
	pf:::hardflt /pid == $target && args[1] >> 40 == 0x65 && args[4] == tid/ { @h["ends", args[0]] = count(); }
	vminfo:::as_fault, vminfo:::maj_fault, vminfo:::min_fault /pid == $target/ { @v[probename] = sum(args[0]); }
	pmc:::minor-faults /pid == $target/ { @p["minor"] = count(); } pmc:::major-faults /pid == $target/ { @p["major"] = count(); }' \
	-c "$TARGETS/faults $TMP/data"
ends 0 "faults"
is "beginnings" "$(n beginnings 0)" "$(n hard)"
is "ends" "$(n ends '<unknown>')" "$(n hard)"
is "faults that had to read" "$(n maj_fault)" "$(n major)"
is "faults that had not" "$(n min_fault)" "$(n minor)"
is "faults" "$(n as_fault)" $(($(n major) + $(n minor)))
[ "$(n min_fault)" -gt 500 ] || fail "faults: $out"
is "what is missing" "$err" "dtrace: probe description pf:::hardflt: needs CAP_BPF and CAP_PERFMON; running without in-kernel programs, so args[] members [0] (file), [2] (time), [3] (offset) are empty"

# of all processes, with stacks
d -qn 'vminfo:::min_fault /execname == "sh"/ { @[ustackdepth > 0] = count(); }' -c "sh -c '/bin/true; :'"
ends 0 "of all"
like "of all" "$out" "* 1 *[1-9]*"

# what only a program could tell is refused
for probe in pf:::dzero_flt pf:::valloc vminfo:::pgin sysinfo:::pswitch dpc:::dpc isr:::isr lockstat:::spin-spin; do
	d -n "$probe { }" -c true
	ends 1 "$probe"
	like "$probe" "$err" "*probe description $probe: needs CAP_BPF and CAP_PERFMON*"
done
finish
