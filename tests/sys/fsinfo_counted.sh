# Counts by members of args[0] of fsinfo, and by the names of files that are short: the same, and no record is sent.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
. tests/lib/fsinfo.sh

program="$TARGETS/fileops $work" whose='pid == $target'
fs=$(awk -v p="$(df --output=target "$TMP" | tail -1)" '$2 == p { t = $3 } END { print t }' /proc/mounts)

mine='pid == $target && '
counted "fsinfo:::read, fsinfo:::write /$mine args[0]->fi_fs == \"$fs\"/ { @[execname, args[0]->fi_fs, probename] = count(); }"
some "^ *fileops *$fs *read *[1-9]"
counted 'fsinfo:::read, fsinfo:::write /pid == $target/ { @[args[0]->fi_name, args[0]->fi_bcount] = count(); }'
some "^ *fo_one *128 *4"
counted 'fsinfo:::write /pid == $target/ { @s[args[0]->fi_name] = sum(args[0]->fi_bcount); @q[args[0]->fi_fs] = quantize(args[0]->fi_bcount);
	@l = lquantize(args[0]->fi_offset, 0, 500, 100); @a = avg(args[0]->fi_bcount); }'
some "^ *fo_one *406"
counted "fsinfo:::cleanup, fsinfo:::close /$mine args[0]->fi_name == \"fo_one\"/ { @[probename, args[0]->fi_oflags] = count(); }" 1 # inotify's has no name in a folder
some "^ *cleanup"
some "^ *close"
counted 'fsinfo:::create /pid == $target && args[0]->fi_cflags == 2/ { @[args[0]->fi_cflags] = count(); }'
some "^ *2  *[1-9]"

finish
