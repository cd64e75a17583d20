# -x kernelbuf: the rings of the kernel have that size; what is lost in them is counted once for each event, and told with its name
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
unset _DTRACE_TESTING # what was lost is explained
need_perf_system
need_bpf

cat >"$TMP/look" <<'END'
#!/bin/sh
# look DIR: what rings the processes of the command have
for p in $PPID $(cat "/proc/$PPID/task/$PPID/children"); do
	grep -h -A9 'map_type:.27' /proc/$p/fdinfo/* 2>/dev/null | grep max_entries
	grep 'anon_inode:.perf_event' /proc/$p/maps
done >"$1/rings"
: >"$1/seen"
END
chmod +x "$TMP/look"

# rings SIZE PROBE: of a run with such a probe
rings() {
	rm -f "$TMP/seen"
	d -wqx kernelbuf="$1" -n "$2 /0/ {} BEGIN { system(\"exec $TMP/look $TMP\"); }" \
		-c "sh -c 'until [ -e $TMP/seen ]; do sleep 0.01; done'"
	ends 0 "$2"
	out=$(cat "$TMP/rings")
}

rings 300k 'syscall::close:entry'
like "the ring of programs is the next power of two" "$out" "*max_entries:?524288*"
rings 3m 'profile-1'
printf '%s\n' "$out" | sed -n 's/-/ /; s/ [^ ]*perf_event.*//; s/^\([0-9a-f]* [0-9a-f]*\) .*/\1/p' | while read -r from to; do
	echo $((0x$to - 0x$from))
done >"$TMP/sizes"
is "rings of perf" "$(sort -u "$TMP/sizes")" $((4194304 + $(getconf PAGESIZE)))

# events CALLS DTRACE-ARGS...: as many fire, or are counted as drops; $nlost of them
events() {
	calls=$1
	shift
	rm -f "$TMP/all"
	d -o "$TMP/all" "$@" -c "$TARGETS/getppids $calls"
	ends 0 "$*"
	nlost=$(printf '%s\n' "$err" | sed -n 's/^dtrace: \([0-9]*\) drops* in rings of the kernel, .*/\1/p')
	is "events of $*" $(($(grep -c '^x' "$TMP/all") + ${nlost:-0})) "$calls"
}

# all find room, whenever they are read
events 400000 -x kernelbuf=512m -qn 'syscall::getppid:entry /pid == $target/ { printf("x\n"); }'
is "room for all" "$nlost" ""
# they do not in the smallest ring, with two stacks and memory of the kernel for each
events 100000 -x kernelbuf=64k -qn 'syscall::getppid:entry /pid == $target/ { stack(); ustack(); printf("x %d\n", curthread->prio); }'
[ -z "$nlost" ] || like "what to do" "$err" "*drops in rings of the kernel, of syscall:vmlinux:getppid:entry; a larger -x kernelbuf makes room;*"
finish
