# Each member of psinfo_t, lwpsinfo_t, cpuinfo_t and fileinfo_t against what the kernel itself says of the same
# process: cat(1) reads its own files of /proc while it is traced.
. tests/lib/lib.sh
need nice setsid findmnt

# same WHAT FIELD VALUE: a line "FIELD value" of the program's output
same() {
	is "$1" "$(sed -n "s/^$1=//p" "$TMP/d" | sort -u)" "$2"
}

cat >"$TMP/members.d" <<'END'
syscall::read:entry
/pid == $target && execname == "cat" && !done/
{
	done = 1; /* sh and nice are the same process before */
	printf("pr_nlwp=%d\npr_nzomb=%d\npr_pid=%d\npr_ppid=%d\npr_pgid=%d\npr_sid=%d\n", curpsinfo->pr_nlwp, curpsinfo->pr_nzomb,
	    curpsinfo->pr_pid, curpsinfo->pr_ppid, curpsinfo->pr_pgid, curpsinfo->pr_sid);
	printf("pr_uid=%d\npr_euid=%d\npr_gid=%d\npr_egid=%d\npr_ttydev=%d\n", curpsinfo->pr_uid, curpsinfo->pr_euid, curpsinfo->pr_gid,
	    curpsinfo->pr_egid, curpsinfo->pr_ttydev);
	printf("pr_start=%d\npr_fname=%s\npr_psargs=%s\npr_argc=%d\npr_arglen=%d\n", curpsinfo->pr_start.tv_sec * 100 +
	    curpsinfo->pr_start.tv_nsec / 10000000, curpsinfo->pr_fname, curpsinfo->pr_psargs, curpsinfo->pr_argc, curpsinfo->pr_arglen);
	this->argv = (uintptr_t *)copyin(curpsinfo->pr_argv, 16);
	this->envp = (uintptr_t *)copyin(curpsinfo->pr_envp, 8);
	printf("pr_argv=%s\npr_envp=%s\n", copyinstr(this->argv[1]), copyinstr(this->envp[0]));
	printf("pr_dmodel=%d\npr_arch=%d\npr_wstat=%d\npr_contract=%d\n", curpsinfo->pr_dmodel, curpsinfo->pr_arch, curpsinfo->pr_wstat,
	    curpsinfo->pr_contract);
	printf("pr_ids=%d %d %d %d\n", curpsinfo->pr_taskid, curpsinfo->pr_projid, curpsinfo->pr_poolid, curpsinfo->pr_zoneid);
	printf("pr_addr=%d\n", curpsinfo->pr_addr == curlwpsinfo->pr_addr);
	printf("pr_lwpid=%d\npr_syscall=%d\npr_pri=%d\npr_nice=%d\npr_clname=%s\npr_affinity=%x\n", curlwpsinfo->pr_lwpid,
	    curlwpsinfo->pr_syscall, curlwpsinfo->pr_pri, curlwpsinfo->pr_nice, curlwpsinfo->pr_clname, curlwpsinfo->pr_affinity);
	printf("pr_name=%s\npr_tname=%s\npr_sname=%c%d\n", curlwpsinfo->pr_name, curlwpsinfo->pr_tname, curlwpsinfo->pr_sname,
	    curlwpsinfo->pr_state);
	printf("pr_cpu=%d %d %d\n", curlwpsinfo->pr_onpro == cpu, curlwpsinfo->pr_cpu == cpu, curlwpsinfo->pr_wipr == cpu);
	printf("pr_bind=%d %d\npr_wchan=%d %d %d\n", curlwpsinfo->pr_bindpro, curlwpsinfo->pr_bindpset, curlwpsinfo->pr_wchan,
	    curlwpsinfo->pr_stype, curlwpsinfo->pr_flag);
	printf("pr_wait=%d %d %d %d\npr_io=%d %d\n", curlwpsinfo->pr_waitr, curlwpsinfo->pr_waitm, curlwpsinfo->pr_waittm,
	    curlwpsinfo->pr_waitns, curlwpsinfo->pr_iopri, curlwpsinfo->pr_pagepri);
	printf("cpu=%d\ncpu_id=%d\ncpu_chip=%d\ncpu_lgrp=%d\ncpu_pset=%d\npi_state=%d\npi_clock=%d\n", cpu, curcpu->cpu_id,
	    curcpu->cpu_chip, curcpu->cpu_lgrp, curcpu->cpu_pset, curcpu->cpu_info.pi_state, curcpu->cpu_info.pi_clock);
	printf("pi_type=%s %s\n", curcpu->cpu_info.pi_processor_type, curcpu->cpu_info.pi_fputypes);
}
syscall::write:entry
/pid == $target && arg0 == 1 && execname == "cat" && !told/
{
	told = 1;
	printf("fi_name=%s\nfi_dirname=%s\nfi_pathname=%s\nfi_offset=%d\nfi_fs=%s\nfi_mount=%s\nfi_oflags=%o\n", fds[1].fi_name,
	    fds[1].fi_dirname, fds[1].fi_pathname, fds[1].fi_offset, fds[1].fi_fs, fds[1].fi_mount, fds[1].fi_oflags);
	printf("fi_rest=%d %d %d %d %d %d %d %d %s\n", fds[1].fi_cflags, fds[1].fi_aflags, fds[1].fi_sflags, fds[1].fi_bcount,
	    fds[1].fi_extinfo, fds[1].fi_rstatus, fds[1].fi_dbuflen, fds[1].fi_irp, fds[1].fi_dpattern);
}
END
where=$(realpath "$TMP")
cat >"$TMP/run.sh" <<END
printf 'twelve bytes' >$where/out
cd /
exec env -i FIRST=1 nice -n 5 cat /proc/self/stat /proc/self/status /proc/self/fdinfo/1 >>$where/out
END
d -qo "$TMP/d" -s "$TMP/members.d" -x evaltime=exec -c "setsid -w sh $TMP/run.sh"
ends 0 members
[ -s "$TMP/d" ] || fail "nothing was printed: $err"

# the numbers of its stat behind the name: state ppid pgrp session tty ...
# shellcheck disable=SC2046
set -- $(sed -n '1s/.*) //p' "$TMP/out")
status() { # status NAME N: a number of its status
	awk -v name="$1:" -v n="$2" '$1 == name { print $(n + 1) }' "$TMP/out"
}
same pr_pid "$(sed -n '1s/^twelve bytes\([0-9]*\) .*/\1/p' "$TMP/out")"
same pr_lwpid "$(status Pid 1)"
same pr_ppid "$2"
same pr_pgid "$3"
same pr_sid "$4"
same pr_ttydev "$5"
same pr_nlwp "$(status Threads 1)"
same pr_uid "$(status Uid 1)"
same pr_euid "$(status Uid 2)"
same pr_gid "$(status Gid 1)"
same pr_egid "$(status Gid 2)"
same pr_pri $((${16} + 100))
same pr_nice "${17}"
is "nice" "${17}" 5
started=$(($(awk '/^btime/ { print $2 }' /proc/stat) * 100 + ${20} * 100 / $(getconf CLK_TCK)))
told=$(sed -n 's/^pr_start=//p' "$TMP/d")
[ $((told - started)) -ge -100 ] && [ $((told - started)) -le 100 ] || fail "pr_start $told, expected $started"
args='cat /proc/self/stat /proc/self/status /proc/self/fdinfo/1'
same pr_fname cat
same pr_psargs "$args"
same pr_argc 4
same pr_arglen $((${#args} + 1))
same pr_argv /proc/self/stat
same pr_envp FIRST=1
same pr_syscall 0
same pr_name cat
same pr_tname cat
same pr_clname TS
for none in pr_nzomb pr_wstat pr_contract cpu_pset; do same $none 0; done
same pr_ids "0 0 0 0"
same pr_wait "0 0 0 0"
same pr_wchan "0 0 0"
same pr_bind "-1 -1"
same pr_cpu "1 1 1"
same pr_addr 1
same pr_io "4 0"
same pr_sname O6
same pr_dmodel 2
same pr_arch 1
[ "$(sed -n 's/^pr_affinity=//p' "$TMP/d")" != 0 ] || fail "no affinity"

cpu=$(sed -n 's/^cpu=//p' "$TMP/d")
at=/sys/devices/system/cpu/cpu$cpu
same cpu_id "$cpu"
same cpu_chip "$(cat "$at/topology/physical_package_id" 2>/dev/null || echo 0)"
for node in "$at"/node*; do node=${node##*/node}; done
case $node in *[!0-9]*) node=0 ;; esac
same cpu_lgrp "$node"
same pi_state 2
same pi_type "x86-64 x87 sse2"
mhz=$(awk -v cpu="$cpu" '/^processor/ { n = $3 } /^cpu MHz/ && n == cpu { print $4 }' /proc/cpuinfo)
[ -n "$(cat "$at"/cpufreq/*_max_freq 2>/dev/null)" ] || same pi_clock "${mhz%.*}"

same fi_name out
same fi_dirname "$where"
same fi_pathname "$where/out"
same fi_offset 0 # it has written nothing yet: O_APPEND moves it with the first write
same fi_fs "$(findmnt -nT "$where" -o FSTYPE)"
same fi_mount "$(findmnt -nT "$where" -o TARGET)"
same fi_oflags "$(awk '/^flags:/ { sub(/^0*/, "", $2); print $2 }' "$TMP/out")"
same fi_rest "0 0 0 0 0 0 0 0 "
finish
