# curpsinfo->pr_psargs and execargs are those of the event, of processes that are gone when it is read, too.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_bpf

cat >"$TMP/run.sh" <<'END'
i=0
while [ $i -lt 50 ]; do
	/bin/true number $i
	i=$((i + 1))
done
(exec /bin/sh -c 'exec /bin/true the last')
END
d -qn 'proc:::exec-success /progenyof($target)/ { printf("exec %s %s|\n", curpsinfo->pr_fname, curpsinfo->pr_psargs); }
	proc:::exit /progenyof($target)/ { printf("exit %s|\n", curpsinfo->pr_psargs); }
	syscall::exit_group:entry { printf("call %s|%s|\n", curpsinfo->pr_psargs, execargs); }' -c "/bin/sh $TMP/run.sh"
ends 0 "arguments"
i=0
while [ $i -lt 50 ]; do
	printf 'exec true /bin/true number %d|\ncall /bin/true number %d|/bin/true number %d|\nexit /bin/true number %d|\n' $i $i $i $i
	i=$((i + 1))
done >"$TMP/want"
is "each of 50 processes, three times" "$(echo "$out" | grep number)" "$(cat "$TMP/want")"
is "one that executes twice" "$(echo "$out" | grep '^exec.* last')" "exec sh /bin/sh -c exec /bin/true the last|
exec true /bin/true the last|"
is "the target itself" "$(echo "$out" | grep 'call.*run.sh')" "call /bin/sh $TMP/run.sh|/bin/sh $TMP/run.sh|"
finish
