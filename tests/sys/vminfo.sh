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

# whole ARGS...: a run that has lost nothing; a busy machine may need some
whole() {
	for _ in 1 2 3 4 5; do
		d "$@"
		case $err in *drop* | *unrecorded*) ;; *) return ;; esac
	done
	skip "records are lost here: $err"
}

whole -qn 'vminfo::: /pid == $target/ { @v[probename] = sum(arg0); }
	sysinfo:::trap /pid == $target/ { @s["traps"] = sum(arg0); }
	pf:::dzero_flt, pf:::gp_flt, pf:::cow_flt, pf:::trans_flt /pid == $target/ { @p["pf", probename] = count(); }
	sdt:exceptions::page_fault_user, sdt:exceptions::page_fault_kernel /pid == $target/ { @e["kernel"] = count(); }' -c "$TARGETS/faults $TMP/data"
ends 0 "vminfo"
is "traps" "$(n traps)" "$(n kernel)"
is "faults, violations" "$(($(n as_fault) + $(n violation)))" "$(n kernel)"
is "faults" "$(n as_fault)" $(($(n maj_fault) + $(n min_fault)))
is "reads" "$(n fspgin)" "$(n hard)"
is "zeros" "$(n zfod)" $(($(n pf dzero_flt) + $(n pf gp_flt)))
is "copies" "$(n cow_fault)" "$(n pf cow_flt)"
is "of the cache" "$(n pgrec)" "$(n pf trans_flt)"
is "forbidden" "$(n prot_fault)" 10
if [ "$(n hard)" -gt 0 ]; then
	[ "$(n pgpgin)" -ge "$(n hard)" ] || fail "pages read: $(n pgpgin), of $(n hard)"
	[ "$(n pgin)" -ge 1 ] || fail "reads: $(n pgin)"
fi

whole -qn 'sysinfo:::sysread, sysinfo:::syswrite, sysinfo:::readch, sysinfo:::writech, sysinfo:::sysexec, sysinfo:::sysfork, sysinfo:::sysvfork,
	sysinfo:::nthreads /progenyof($target)/ { @s[probename] = sum(arg0); }
	syscall::read:entry, syscall::pread64:entry, syscall::readv:entry /progenyof($target)/ { @r["reads"] = count(); }
	syscall::write:entry, syscall::pwrite64:entry, syscall::writev:entry /progenyof($target)/ { @r["writes"] = count(); }
	syscall::read:return, syscall::pread64:return, syscall::readv:return /progenyof($target) && (int)arg1 > 0/ { @b["bytes read"] = sum(arg1); }
	syscall::write:return, syscall::pwrite64:return, syscall::writev:return /progenyof($target) && (int)arg1 > 0/ { @b["bytes written"] = sum(arg1); }
	syscall::execve:entry /progenyof($target)/ { @r["execs"] = count(); }
	proc:::create /progenyof($target)/ { @r["processes"] = count(); }
	proc:::lwp-create /progenyof($target)/ { @r["threads"] = count(); }' \
	-c "sh -c 'dd if=/dev/zero of=$TMP/data bs=1000 count=123 2>/dev/null; $TARGETS/contend $TMP/data 200 | cat'"
ends 0 "sysinfo"
is "reads" "$(n sysread)" "$(n reads)"
is "writes" "$(n syswrite)" "$(n writes)"
is "bytes read" "$(n readch)" "$(n bytes read)"
is "bytes written" "$(n writech)" "$(n bytes written)"
is "execs" "$(n sysexec)" "$(n execs)"
is "threads" "$(n nthreads)" "$(n threads)"
is "threads, all" "$(n nthreads)" 6
is "processes" "$(($(n sysfork) + $(n sysvfork)))" "$(n processes)"
[ "$(n sysread)" -ge 123 ] || fail "reads: $out"

whole -qn 'sysinfo:::pswitch /pid == $target/ { @["pswitch"] = count(); } sysinfo:::inv_swtch /pid == $target/ { @["inv"] = count(); }
	sdt:sched::sched_switch /pid == $target/ { @["switches"] = count(); }
	sched:::preempt /pid == $target/ { @["preempted"] = count(); }
	sysinfo:::intr { @["intr"] = count(); } sysinfo:::bwrite { @["bwrite"] = count(); }
	sysinfo:::mutex_adenters, sysinfo:::rw_rdfails, sysinfo:::rw_wrfails /pid == $target/ { @["waits"] = count(); }
	sdt:lock::contention_begin /pid == $target && ((args[1] & 33) == 32 || args[1] & 6)/ { @["contended"] = count(); }' \
	-Z -c "$TARGETS/contend $TMP/data 500"
ends 0 "switches"
is "switches" "$(n pswitch)" "$(n switches)"
is "involuntary ones" "$(n inv)" "$(n preempted)"
is "locks" "$(n waits)" "$(n contended)"
[ "$(n intr)" -gt 0 ] || fail "no interrupt: $out"
finish
