# raise() and stop() in io probes: a signal to the process that asked for the request, when it begins, is waited for or
# is done; to none that was merely interrupted by its end.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
need perl
case $(df --output=source "$TMP" | tail -1) in
/dev/*) ;;
*) skip "the scratch folder is on no disk" ;;
esac
case $(stat -f -c %T "$TMP") in
overlay*) skip "the scratch folder is on an overlay" ;;
esac

cat >"$TMP/writer" <<'EOF'
use IO::Handle;
open my $f, '>', $ARGV[0] or die;
$f->autoflush(1);
while (1) { seek $f, 0, 0; print $f 'x' x 4096; $f->sync; }
EOF
trap 'kill -9 $work $idle 2>/dev/null' EXIT
# somebody whom the ends of requests interrupt
sh -c 'while :; do :; done' &
idle=$!
writer() {
	perl "$TMP/writer" "$TMP/data" &
	work=$!
}
for probe in start done wait-start wait-done; do
	writer
	d -wqn "io:::$probe /pid == \$1/ { raise(SIGTERM); } proc:::exit /pid == \$1/ { printf(\"%d\", arg1); exit(0); }
		tick-60s { exit(1); }" $work
	ends 0 "$probe"
	is "$probe" "$out" 15
	is "$probe: says nothing" "$err" ""
	wait $work 2>/dev/null
	[ $? -eq 143 ] || fail "$probe: it was not killed"
done

# it stands still: no request of it comes until it is told to go on
writer
d -wqn 'io:::start /pid == $1 && !n++/ { stop(); }
	proc:::signal-send /args[2] == SIGSTOP && args[1]->pr_pid == $1/ { printf("stopped"); exit(0); } tick-60s { exit(1); }' $work
is "stop()" "$out$err" "stopped"
until [ "$(sed -n 's/^State:.\(.\).*/\1/p' "/proc/$work/status")" = T ]; do kill -0 $work || fail "stop(): it is no more"; done
kill -CONT $work
d -qn 'io:::start /pid == $1/ { printf("goes on"); exit(0); } tick-60s { exit(1); }' $work
is "and goes on" "$out$err" "goes on"
kill -9 $work
wait $work 2>/dev/null

# nobody else got one
kill -0 $idle || fail "a process was hit that has done no request"
finish
