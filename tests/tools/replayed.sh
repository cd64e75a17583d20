#!/bin/sh
# replayed.sh [SCRIPT...]: scripts of dscripts/ (all) say of a recording what they said while it was made. Each runs with -g -E
# and a command of a bounded load, then on the file; lines are compared, in whatever order. A line each: same, or differs with the
# lines that do; status 1: some differ. On a busy machine a run may see an event after a younger one, which the file has in their
# order, so what differs runs three times at most.
# DTRACE: the command (build/dtrace). TARGETS: its programs to trace. SHOWN: how many lines that differ. KEEP: a folder for what
# did. The table below says which scripts cannot agree, and why.
cd "$(dirname "$0")/../.." || exit 2
DTRACE=$(realpath "${DTRACE:-build/dtrace}")
TARGETS=$(realpath "${TARGETS:-build/targets}")
SCRIPTS=$PWD/dscripts
TMP=$(mktemp -d) || exit 2
trap 'rm -rf "$TMP"' EXIT

# SCRIPT  why what it shows is in no recording
unlike() {
	cat <<'END'
bin/diag.d          what is read is counted: of a file that is another reading
bin/errdump.d       lkd() takes a process, which a recording does not have
bin/runqlen         rawtp is in no recording, and the run says so
demo/diag_fpid.d    what hooks do besides is in no recording
END
}

cat >"$TMP/load.sh" <<END
cat /proc/sys/kernel/ostype /proc/self/stat
dd if=/dev/zero of=$TMP/some bs=1000 count=37 conv=fsync status=none
cp $TMP/some $TMP/other
sync $TMP/other
rm $TMP/some $TMP/other
cat $TMP/none
$TARGETS/nettraffic tcp 4 3 5000
$TARGETS/nettraffic udp 4 3 50
sleep 0.02
sh -c 'kill -TERM \$\$'
sh -c 'ulimit -c 0; kill -SEGV \$\$'
for i in 1 2 3; do /bin/true \$i; done
END

# arguments_of SCRIPT: what it needs besides a command
arguments_of() {
	case $1 in
	bin/argdist) echo "syscall:read arg2" ;;
	bin/funccount | bin/funclatency | bin/funcslower) echo "libc:malloc" ;;
	bin/stackcount) echo "syscall:read" ;;
	bin/trace) echo "syscall:read %d arg2" ;;
	bin/errdump.d) echo "ENOENT" ;;
	demo/*_ustack.d | demo/pid_userctf.d) echo "touch" ;;
	esac
}

# command_of SCRIPT: whom it traces
command_of() {
	case $1 in
	demo/*_ustack.d | demo/pid_userctf.d) echo "$TARGETS/threads 3 touch" ;;
	*) echo "sh $TMP/load.sh" ;;
	esac
}

# run FILE-OPTIONS SCRIPT COMMAND...: what it prints, and says
run() {
	how=$1 script=$2
	shift 2
	first=$(head -1 "$SCRIPTS/$script")
	# shellcheck disable=SC2046,SC2086
	case $first in
	*--tool) timeout 60 "$DTRACE" $how --tool "${script#bin/}" $(arguments_of "$script") "$@" ;;
	*) flags=$(echo "$first" | sed -n 's/.*dtrace -\([a-zA-Z][a-zA-Z]*\)s$/-\1/p')
		timeout 60 "$DTRACE" $flags $how -s "$SCRIPTS/$script" "$@" $(arguments_of "$script") ;;
	esac </dev/null
}

compare() {
	rm -f "$TMP/new.data" "$TMP/live" "$TMP/file"
	run "-o $TMP/live -gqE $TMP/new.data" "$1" -c "$(command_of "$1")" >"$TMP/said" 2>"$TMP/live.err"
	rc=$?
	if [ ! -e "$TMP/new.data" ]; then
		echo "none    $1: status $rc: $(grep -v '^cat: ' "$TMP/live.err" | head -2 | tr '\n' ' ')"
		return 0
	fi
	run "-o $TMP/file -qE $TMP/new.data" "$1" 2>"$TMP/file.err"
	sort "$TMP/live" >"$TMP/live.sorted"
	sort "$TMP/file" >"$TMP/file.sorted"
	if cmp -s "$TMP/live.sorted" "$TMP/file.sorted"; then
		echo "same    $1: $(grep -c . "$TMP/live") lines"
		return 0
	fi
	echo "differs $1: $(diff "$TMP/live.sorted" "$TMP/file.sorted" | grep -c '^[<>]') of $(grep -c . "$TMP/live") lines: $(unlike | sed -n "s,^$1  *,,p")"
	diff "$TMP/live.sorted" "$TMP/file.sorted" | grep '^[<>]' | head -"${SHOWN:-6}"
	grep ^dtrace: "$TMP/live.err" | head -3 | sed 's/^/ live: /'
	grep ^dtrace: "$TMP/file.err" | head -3 | sed 's/^/ file: /'
	[ -z "${KEEP:-}" ] || cp "$TMP/new.data" "$TMP/live" "$TMP/file" "$KEEP"
	unlike | grep -q "^$1 "
}

[ $# -gt 0 ] || set -- $(cd "$SCRIPTS" && grep -L '^#!/bin/sh' bin/* demo/*.d | sort)
status=0
cd "$TMP" || exit 2 # where scripts leave what they make
for script; do
	for try in 1 2 3; do
		compare "$script" >"$TMP/told" && break
		[ $try -lt 3 ] || status=1
	done
	cat "$TMP/told"
done
exit $status
