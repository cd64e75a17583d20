# What virtual memory and the system do: the same numbers as programs, calls and the kernel's records tell.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf

n() { # n WORDS...: the number behind them; 0: there are none
	echo "$out" | awk -v w="$*" '{ line = $0; gsub(/^ +/, "", line); gsub(/ +/, " ", line) }
		index(line, w " ") == 1 { n = $NF } END { print n + 0 }'
}

# counted ARGS...: a run whose events are counted in the kernel, or are of one process and few for the ring, so that none is lost however
# busy the machine is
counted() {
	d -v -o "$TMP/numbers" "$@"
	records=$(echo "$err" | sed -n 's/.*records read: 0 of perf events, \([0-9]*\) of BPF programs.*/\1/p')
	[ "${records:-99999}" -lt 20000 ] || fail "too many records: $err"
	case $err in *drop* | *unrecorded*) fail "records are lost: $err" ;; esac
	out="$out
$(cat "$TMP/numbers")"
	rm -f "$TMP/numbers"
}

counted -n 'vminfo::: /pid == $target/ { @v[probename] = sum(arg0); }
	sysinfo:::trap /pid == $target/ { @s["traps"] = sum(arg0); }
	pf:::dzero_flt, pf:::gp_flt, pf:::cow_flt, pf:::trans_flt /pid == $target/ { @p["pf", probename] = count(); }
	rawtp:::page_fault_user, rawtp:::page_fault_kernel /pid == $target/ { @e["kernel"] = count();
	@each["of", probename] = count(); }
	rawtp:::page_fault_user, rawtp:::page_fault_kernel /pid == $target && curthread->pagefault_disabled == 1/ { @d["handled"] = count(); }' \
	-c "$TARGETS/faults $TMP/data"
ends 0 "vminfo"
is "traps" "$(n traps)" "$(n kernel)"
# who samples user stacks meanwhile has faults in the thread's name that the kernel does nothing about: faults were
# disabled (once more by the read that says so)
is "faults, violations" "$(($(n as_fault) + $(n violation)))" "$(n handled)"
is "faults" "$(n as_fault)" $(($(n maj_fault) + $(n min_fault)))
is "reads" "$(n fspgin)" "$(n hard)"
is "zeros" "$(n zfod)" $(($(n pf dzero_flt) + $(n pf gp_flt)))
is "copies" "$(n cow_fault)" "$(n pf cow_flt)"
is "of the cache" "$(n pgrec)" "$(n pf trans_flt)"
is "forbidden" "$(n prot_fault)" 10
[ "$failed" = 0 ] || fail "all that was counted, by $records records: $out"
if [ "$(n hard)" -gt 0 ]; then
	[ "$(n pgpgin)" -ge "$(n hard)" ] || fail "pages read: $(n pgpgin), of $(n hard)"
	[ "$(n pgin)" -ge 1 ] || fail "reads: $(n pgin)"
fi

counted -n 'sysinfo:::sysread, sysinfo:::syswrite, sysinfo:::readch, sysinfo:::writech /pid == $target/ { @s[probename] = sum(arg0); }
	syscall::read:entry, syscall::pread64:entry, syscall::readv:entry /pid == $target/ { @r["reads"] = count(); }
	syscall::write:entry, syscall::pwrite64:entry, syscall::writev:entry /pid == $target/ { @r["writes"] = count(); }
	syscall::read:return, syscall::pread64:return, syscall::readv:return /pid == $target && (int)arg1 > 0/ { @b["bytes read"] = sum(arg1); }
	syscall::write:return, syscall::pwrite64:return, syscall::writev:return /pid == $target && (int)arg1 > 0/ { @b["bytes written"] = sum(arg1); }' \
	-c "dd if=/dev/zero of=$TMP/data bs=1000 count=123"
ends 0 "reads and writes"
is "reads" "$(n sysread)" "$(n reads)"
is "writes" "$(n syswrite)" "$(n writes)"
is "bytes read" "$(n readch)" "$(n bytes read)"
is "bytes written" "$(n writech)" "$(n bytes written)"
[ "$(n sysread)" -ge 123 ] || fail "reads: $out"
[ "$(n writech)" -ge 123000 ] || fail "bytes written: $out"

counted -n 'sysinfo:::sysexec, sysinfo:::sysfork, sysinfo:::sysvfork /pid == $target/ { @s[probename] = sum(arg0); }
	syscall::execve:entry /pid == $target/ { @r["execs"] = count(); }
	proc:::create /pid == $target/ { @r["processes"] = count(); }' \
	-c "sh -c '/bin/true; /bin/true; (exit 0); exec /bin/true'"
ends 0 "processes"
is "execs" "$(n sysexec)" "$(n execs)"
is "processes" "$(($(n sysfork) + $(n sysvfork)))" "$(n processes)"
is "processes, all" "$(n processes)" 3
[ "$(n execs)" -ge 1 ] || fail "no execve(): $out"

counted -n 'sysinfo:::nthreads /pid == $target/ { @s[probename] = sum(arg0); } proc:::lwp-create /pid == $target/ { @r["threads"] = count(); }' \
	-c "$TARGETS/contend $TMP/data 200"
ends 0 "threads"
is "threads" "$(n nthreads)" "$(n threads)"
is "threads, all" "$(n nthreads)" 6

counted -n 'sysinfo:::pswitch /pid == $target/ { @["pswitch"] = count(); } sysinfo:::inv_swtch /pid == $target/ { @["inv"] = count(); }
	rawtp:::sched_switch /pid == $target/ { @["switches"] = count(); }
	sched:::preempt /pid == $target/ { @["preempted"] = count(); }
	sysinfo:::intr { @["intr"] = count(); } sysinfo:::bwrite { @["bwrite"] = count(); }
	sysinfo:::mutex_adenters, sysinfo:::rw_rdfails, sysinfo:::rw_wrfails /pid == $target/ { @["waits"] = count(); }
	rawtp:::contention_begin /pid == $target && ((arg1 & 33) == 32 || arg1 & 6)/ { @["contended"] = count(); }' \
	-Z -c "$TARGETS/contend $TMP/data 500"
ends 0 "switches"
is "switches" "$(n pswitch)" "$(n switches)"
is "involuntary ones" "$(n inv)" "$(n preempted)"
is "locks" "$(n waits)" "$(n contended)"
[ "$(n intr)" -gt 0 ] || fail "no interrupt: $out"
finish
