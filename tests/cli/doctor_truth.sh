# --doctor tells the truth: what a row says that works can be enabled, what it says is missing cannot or says what is less, as root, with
# few capabilities, as an ordinary user, without tracefs and in a list of processes of its own.
# needs: root
# timeout: 300
. tests/lib/lib.sh
need setpriv unshare

row() { # row NAME: its verdict
	sed -n "s/^$1  *\(works\|limited\|missing\) .*/\1/p" "$TMP/doctor"
}

can() { # can PROBE ARGS...: "yes" when a run of the command that enables it ends well, and nothing is said to be less
	probe=$1
	shift
	"$as" "$DTRACE" -qn "$probe { } BEGIN { exit(0); }" "$@" >"$TMP/out" 2>"$TMP/err" </dev/null && [ ! -s "$TMP/err" ] && echo yes && return
	echo no
}

# holds ROW PROBE: "works" means it can be enabled for the whole machine, else it cannot
holds() {
	verdict=$(row "$1")
	[ -n "$verdict" ] || fail "$who: no row $1"
	is "$who: $1 is $verdict" "$(can "$2")" "$([ "$verdict" = works ] && echo yes || echo no)"
}

look() { # look WHO COMMAND...: as whom the command is run
	who=$1
	shift
	as=$TMP/as
	{
		echo '#!/bin/sh'
		printf 'exec'
		for word; do printf " '%s'" "$word"; done
		echo ' "$@"'
	} >"$as"
	chmod 755 "$as"
	"$as" "$DTRACE" --doctor >"$TMP/doctor" 2>"$TMP/err" </dev/null || fail "$who: --doctor: status $?: $(cat "$TMP/err")"
	is "$who: streams" "$(cat "$TMP/err")" ""
	holds "perf events" 'pmc:::context-switches'
	holds tracepoints 'linux-sched:::sched_switch'
	holds "page faults" 'pf:::cow_flt'
	holds files 'fsinfo:::create'
	holds interrupts 'isr:::isr'
	holds "kernel locks" 'lockstat:::adaptive-block'
	holds cgroup 'ip:::send'
	holds BPF 'sysinfo:::pswitch'
	holds fentry 'fbt::vfs_read:entry'
	holds runtimes 'dnet:java:gc:gc-start'
	# what is limited works for one's own programs
	for limited in "perf events:pmc:::page-faults" "runtimes:dnet:java:gc:gc-start"; do
		[ "$(row "${limited%%:*}")" != limited ] || is "$who: ${limited%%:*} of -c" "$(can "${limited#*:}" -c true)" yes
	done
	# the reason is never that of somebody else: caps are missing where they are, and the kernel refuses only whom it might let
	why=$(sed -n 's/^fentry *missing *//p' "$TMP/doctor")
	case $why in
	*"needs CAP_BPF"*) is "$who: BPF beside fentry" "$(row BPF)" missing ;;
	esac
}

look root env
look "an ordinary user" setpriv --reuid 65534 --regid 65534 --clear-groups
look "a user with capabilities" setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps +perfmon,+bpf --ambient-caps +perfmon,+bpf
look "root without capabilities" setpriv --bounding-set -sys_admin,-perfmon,-bpf,-sys_ptrace,-net_admin --inh-caps -all
is "root without capabilities: ptrace" "$(sed -n 's/^ptrace *works *//p' "$TMP/doctor")" "-c and -p, on your own processes; for those of others run as root"
look "without tracefs" unshare -m sh -c 'mount -t tmpfs none /sys/kernel/tracing; mount -t tmpfs none /var/cache; mount -t tmpfs none /sys/kernel/debug 2>/dev/null
	HOME=/nonexistent XDG_CACHE_HOME=/nonexistent exec setpriv --bounding-set -sys_admin --inh-caps -all "$@"' -
is "no tracefs" "$(row tracefs)" missing
look "tracefs that can be mounted" unshare -m sh -c 'mount -t tmpfs none /sys/kernel/tracing; mount -t tmpfs none /sys/kernel/debug 2>/dev/null; exec "$@"' -
is "a tracefs of our own" "$(row tracefs)" works
look "a list of processes of its own" unshare -pf --mount-proc
is "container" "$(row container)" limited

# the mark of a container alone hides no process
unshare -m sh -c 'mount -t tmpfs none /run && : >/run/.containerenv && exec "$1" --doctor' - "$DTRACE" >"$TMP/doctor"
is "container" "$(row container)" "$([ "$(readlink /proc/self/ns/pid)" = "pid:[4026531836]" ] && echo works || echo limited)"
finish
