# Where files are, and when they are closed: of processes with a root of their own, of file systems that are mounted and unmounted, of files that
# have no name, and of what is or was mapped into memory.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
work=$(realpath "$TMP")/places
mkdir "$work"
d -x strsize=1k -qo "$TMP/told" -n 'fsinfo:::create, fsinfo:::queryinfo, fsinfo:::rename /pid == $target/ {
		printf("%s %s|%s|%s|%d|%o|%s\n", probename, args[0]->fi_pathname, args[0]->fi_name, args[0]->fi_dirname, args[0]->fi_cflags,
		args[0]->fi_aflags, args[0]->fi_newname); }
	fsinfo:::close /progenyof($target) && args[0]->fi_dirname == $$1/ { @[args[0]->fi_name, arg1] = count(); }
	fsinfo:::cleanup /progenyof($target) && args[0]->fi_dirname == $$1/ { @[args[0]->fi_name, arg1] = count(); }
	END { printa("%s %d %@d\n", @); }' -c "$TARGETS/fileplaces $work" "$work"
ends 0 "places"
said=$out
has() { # has WHAT LINE: a line that was told
	grep -qxF -- "$2" "$TMP/told" || fail "$1: no line $2 in
$(cat "$TMP/told")"
}
has "unmapped, duplicated: closed once" "unmapped 0 2" # and cleaned up once
has "mapped in parts: closed once" "split 1 2"
has "mapped, inherited: closed once" "inherited 1 2"
has "no name" "create $work|places|$(dirname "$work")|2|640|"
has "a FIFO" "create $work/fifo|fifo|$work|2|10600|"
has "a plain file" "create $work/plain|plain|$work|2|100600|"
has "at a descriptor that is not open" "queryinfo nowhere|nowhere|<unknown>|0|0|"
if [ "$said" = chroot ]; then
	has "a path from its root" "create $work/root/in/absolute|absolute|$work/root/in|1|600|"
	has "a path from its folder" "queryinfo $work/root/in/absolute|absolute|$work/root/in|0|0|"
	has "both paths from its root" "rename $work/root/in/absolute|absolute|$work/root/in|0|0|$work/root/renamed"
fi

mount=$(df --output=target "$work" | tail -1)
# mounts that are new, and gone, are known at once
"$DTRACE" -x strsize=1k -qn 'fsinfo:::queryinfo /pid == $target && args[0]->fi_name == "file"/ { printf("at %s %s\n", args[0]->fi_fs, args[0]->fi_mount); }' \
	-x switchrate=1000hz -c "$TARGETS/fileplaces $work mounts" >"$TMP/mounts" 2>"$TMP/err" &
front=$!
if until_said "$TMP/mounts" "at tmpfs $work/m" $front; then
	: >"$work/go_on"
	until_said "$TMP/mounts" " $mount\$" $front
	rm "$work/go_on"
fi
wait $front
if grep -q '^mounts' "$TMP/mounts"; then
	is "mounts" "$(grep -c '^at ' "$TMP/mounts")" 2
	is "mounted" "$(sed -n '/^at /p' "$TMP/mounts" | head -1)" "at tmpfs $work/m"
	is "unmounted" "$(sed -n '/^at /p' "$TMP/mounts" | tail -1 | awk '{ print $3 }')" "$mount"
fi
finish
