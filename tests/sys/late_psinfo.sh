# curpsinfo and curlwpsinfo of processes that are gone when the clause runs: what they were, in every kind of probe,
# as the process's own shell has it.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf

gone=info$$
cp /bin/true "$TMP/$gone"
# its session and group, and another priority; each says when it began by the clock of the machine
cat >"$TMP/work" <<'EOF'
read -r _ _ _ _ group session _ <"/proc/$$/stat"
echo "$group $session $(date +%s)"
i=0
while [ $i -lt 20 ]; do nice -n 5 "$1" one 'two words'; i=$((i + 1)); done
EOF
members='curpsinfo->pr_nlwp, curpsinfo->pr_pgid, curpsinfo->pr_sid, curpsinfo->pr_euid, curpsinfo->pr_egid,
	curlwpsinfo->pr_pri, curlwpsinfo->pr_nice, curpsinfo->pr_psargs'
info() { # info TITLE PROBE VALUE
	d -qn "$2"' /execname == "'$gone'"/ { @['"$members"'] = '"$3"'; } ERROR { @f[arg4] = count(); }
		END { printa("%d %d %d %d %d %d %d %s %@d\n", @); }' -c "setsid -w sh $TMP/work $TMP/$gone"
	ends 0 "$1"
	# shellcheck disable=SC2046
	set -- "$1" $(echo "$out" | head -1)
	is "$1" "$(echo "$out" | sed 1d | grep '^[^0]')" "1 $2 $3 0 0 125 5 $TMP/$gone one two words $n"
}
n=20
info "a call" syscall::exit_group:entry 'count()'
info "proc" proc:::exit 'count()'
info "a tracepoint" sdt:sched::sched_process_exit 'count()'
info "a tracepoint of calls" linux-syscalls:::sys_enter_exit_group 'count()'
n=1
# it leaves its CPU once more when the kernel has taken apart what it was
info "sched" sched:::off-cpu 'min(1)'
info "samples" profile-4999 'min(1)'

# one process has begun after the shell's first look at the clock, and not long after
d -qn 'proc:::exit /execname == "'$gone'"/ { @[curpsinfo->pr_start.tv_sec] = count(); @a = sum(curpsinfo->pr_arch == 1 && curpsinfo->pr_dmodel == PR_MODEL_LP64); }
	END { printa("%d %@d\n", @); printa("arch %@d\n", @a); }' -c "setsid -w sh $TMP/work $TMP/$gone"
like "of 64 bits" "$out" "*arch 20*"
began=$(echo "$out" | awk 'NR == 1 { print $3 }')
echo "$out" | awk -v began="$began" '/^[0-9]+ [0-9]+$/ { if ($1 < began - 1 || $1 > began + 60) bad = 1; sum += $2 } END { exit bad || sum != 20 }' ||
	fail "when they began: $out"
finish
