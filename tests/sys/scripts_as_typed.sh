# The scripts of dscripts/bin as somebody in a hurry types them: ^C, head, no argument, no right.
# needs: root
# timeout: 180
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
"$DTRACE" --doctor | grep -q '^cgroup  *works' || skip "$("$DTRACE" --doctor | grep '^cgroup')"
PATH=$(dirname "$DTRACE"):$PATH
export DTRACE PATH
bin=dscripts/bin

# interrupted PATTERN SCRIPT ARGS...: ^C while it traces; it prints what it has, and ends well
interrupted() {
	want=$1 script=$2
	shift 2
	: >"$TMP/out" # before it is looked at
	"$DTRACE" -s $bin/"$script" -x defaultargs -n 'tick-10ms /$$1 == $$1/ { printf("it traces\n"); }' "$@" >"$TMP/out" 2>"$TMP/err" </dev/null &
	tracer=$!
	until grep -q '^it traces' "$TMP/out"; do kill -0 $tracer 2>/dev/null || break; done
	kill -INT $tracer
	wait $tracer
	is "$script: status of ^C" $? 0
	like "$script: ^C" "$(grep -v '^it traces' "$TMP/out")" "$want"
	# the whole machine is watched: what is dropped is told
	is "$script: errors of ^C" "$(grep -v 'drop\|incomplete\|unrecorded' "$TMP/err" | grep .)" ""
}

interrupted "*" diag.d
interrupted "*TIME*PROGRAM*FILE*" filedel.d
interrupted "Tracing*PROGRAM*TIMES*BYTES*FILE*" fileio.d
interrupted "*" nettop.d
interrupted "*CPUs *" numa.d
interrupted "*source *milliseconds on a CPU*page faults*" pmc.d
interrupted "*" proclatency.d
interrupted "*PID*PROGRAM*KEY*" regwatch.d
interrupted "Tracing*" sched.d
interrupted "*PROGRAM*PID*WHAT*" tcpconn.d
interrupted "*MICROSECONDS*PROGRAM*FLAGS*" tcpsnoop.d nobody
interrupted "*MICROSECONDS*PROGRAM*BYTES*" udpsnoop.d nobody
interrupted "Tracing*PROGRAM*SEGMENTS*" tcpio.d
interrupted "*PROGRAM*FAMILY*ERRNO*" soconnect.d nobody
interrupted "Tracing*WAKER*" wakeup.d
interrupted "*PROGRAM*CPU*TIMES*" whererun.d
interrupted "*CPU*SAMPLES*MEAN/US*" restest.d
interrupted "Tracing*PROGRAM*REQUESTS*FILE*microseconds*" diskuse.d
interrupted "Sampling*" ustacks_exe.d nobody
interrupted "Tracing*ASKED FOR BY*LEFT*" slableaks.d nobody
# iosnoop and iotop.d are not D: they become the command
for script in iosnoop iotop.d; do
	: >"$TMP/out"
	$bin/$script >"$TMP/out" 2>"$TMP/err" </dev/null &
	tracer=$!
	until grep -q . "$TMP/out"; do kill -0 $tracer 2>/dev/null || break; done
	kill -INT $tracer
	wait $tracer
	is "$script: status of ^C" $? 0
done

# what needs a program says so, and nothing else
for script in memuse.d perf.d slabs.d ustacks_exe.d slableaks.d errdump.d; do
	out=$($bin/$script 2>"$TMP/err" </dev/null)
	is "$script alone: status" $? 2
	like "$script alone" "$(echo "$out" | grep .)$(cat "$TMP/err")" "$script: *needed*"
done
for script in heapbalance.d lookups.d shellcmds.d; do
	out=$($bin/$script 2>&1 </dev/null)
	is "$script alone: status" $? 1
	like "$script alone" "$out" "*\$target is a process of -c or -p, and neither is given*"
done

out=$($bin/dnet.d 2>&1 </dev/null)
is "dnet.d alone: status" $? 1
like "dnet.d alone" "$out" "*no process is meant: name one by -c or -p*"
out=$($bin/errdump.d -c true 2>&1 </dev/null)
is "errdump.d without an errno: status" $? 2
like "errdump.d without an errno" "$out" "errdump.d: *an errno as EIO*needed*"

# the reader goes: so does the script
for script in sched.d restest.d diskuse.d; do
	$bin/$script 1 2>"$TMP/err" </dev/null | head -1 >/dev/null
	is "$script | head" "$(grep -v 'Broken pipe\|drop\|incomplete\|unrecorded' "$TMP/err" | grep .)" ""
done

# as an ordinary user, where the tree can be read: one line that tells what is missing
if setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$DTRACE" 2>/dev/null; then
	for script in filedel.d fileio.d nettop.d perf.d proclatency.d regwatch.d sched.d slabs.d tcpconn.d wakeup.d whererun.d diskuse.d \
		tcpsnoop.d udpsnoop.d tcpio.d soconnect.d ownevent.d iosnoop iotop.d; do
		case $script in perf.d | slabs.d) command="-c true" ;; *) command= ;; esac
		# shellcheck disable=SC2086
		setpriv --reuid 65534 --regid 65534 --clear-groups $bin/$script $command >"$TMP/out" 2>"$TMP/err" </dev/null
		is "$script of a user: status" $? 1
		is "$script of a user" "$(grep -c . "$TMP/err") $(grep -c 'CAP_PERFMON' "$TMP/err")" "1 1"
	done
fi
finish
