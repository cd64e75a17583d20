# ppid and curpsinfo->pr_ppid are those of the time of the event: who the parent of a process is whose parent has ended
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
need perl

# grandchildren, one after the other, wait until they are this process's own; each says what getppid() is then
cat >"$TMP/orphans" <<'EOF'
syscall(157, 36, 1); # prctl(PR_SET_CHILD_SUBREAPER)
my $top = $$;
for (1 .. 20) {
	if (!fork) {
		my $middle = $$;
		if (!fork) {
			1 while getppid == $middle;
			$0 = "orphan";
			umask 022;
			if ($ARGV[0]) { my $i = 0; 1 while $i++ < $ARGV[0]; }
			exit(getppid == $top ? 7 : 8);
		}
		exit 0;
	}
	1 while waitpid(-1, 0) > 0;
}
EOF
parents() { # parents TITLE PROBE EXPECTED [WORK]
	d -qn "$2"'/execname == "orphan"/ { @[ppid == $target && curpsinfo->pr_ppid == $target] = '"$3"'; }
		END { printa("%d %@d\n", @); }' -c "perl $TMP/orphans $5"
	ends 0 "$1"
	is "$1" "$out" "$4"
}
parents "an exit" 'proc:::exit' 'count()' "1 20"
parents "a call" 'syscall::exit_group:entry' 'count()' "1 20"
parents "a CPU" 'sched:::off-cpu' 'min(1)' "1 1"
parents "records of perf" 'linux-syscalls:::sys_enter_umask' 'min(1)' "1 1" 200000
parents "samples" 'profile-997' 'min(1)' "1 1" 200000

# in a predicate, and beside what is followed from curthread
d -qn 'proc:::exit /ppid == $target && execname == "orphan"/ { @[arg0, curthread->real_parent->tgid == ppid] = count(); }
	END { printa("%d %d %@d\n", @); }' -c "perl $TMP/orphans"
is "in a predicate" "$out" "1 1 20"
d -qn 'proc:::exit /execname == "orphan"/ { printf("%d\n", ppid); }' -c "sh -c 'echo \$\$ >$TMP/top; exec perl $TMP/orphans'"
is "the number itself" "$(echo "$out" | sort -u | grep .)" "$(cat "$TMP/top")"
finish
