# Predicates on what args[0] of fsinfo says, asked in the kernel: the same as when they are asked of all records.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
. tests/lib/fsinfo.sh

program="$TARGETS/fileops $work" whose='pid == $target'
fs=$(awk -v p="$(df --output=target "$TMP" | tail -1)" '$2 == p { t = $3 } END { print t }' /proc/mounts)
mount=$(df --output=target "$TMP" | tail -1)

[ ${#mount} -lt 16 ] || far=anywhere
ask "args[0]->fi_fs == \"$fs\"" \
	"args[0]->fi_fs != \"$fs\"" \
	'args[0]->fi_bcount > 50' \
	'args[0]->fi_offset >= 100 && args[0]->fi_offset < 400' \
	'args[0]->fi_oflags & 2 && !(args[0]->fi_oflags & 0x400)' \
	'args[0]->fi_cflags == 2' \
	'args[0]->fi_aflags & 0100' \
	'args[0]->fi_sflags < 7' \
	'args[0]->fi_dbuflen > 0' \
	'args[0]->fi_name == "fo_one"' \
	'args[0]->fi_name != "fo_one"' \
	'args[0]->fi_name == "fo_folder"' \
	'args[0]->fi_fs == "anon_inodefs"' \
	"args[0]->fi_mount == \"$mount\"" \
	"args[0]->fi_mount != \"$mount\"" \
	"args[0]->fi_fs == \"$fs\" && (args[0]->fi_bcount == 10 || args[0]->fi_name == \"fo_two\") && execname == \"fileops\"" \
	'probename != "read" && args[0]->fi_fs == "anon_inodefs"'
asked "args[0]->fi_fs == \"$fs\""
some "^read $work/fo_one"
some "^done $work/fo_one"
asked "args[0]->fi_fs != \"$fs\""
asked 'args[0]->fi_bcount > 50'
some "^write $work/fo_one.*|100|0|0|0|"
asked 'args[0]->fi_offset >= 100 && args[0]->fi_offset < 400'
some "^write $work/fo_one.*|300|"
asked 'args[0]->fi_oflags & 2 && !(args[0]->fi_oflags & 0x400)'
some "^create $work/fo_one"
asked 'args[0]->fi_cflags == 2'
some "^create $work/fo_dir"
some "^done $work/fo_dir"
asked 'args[0]->fi_aflags & 0100'
some "^direnum $work|"
asked 'args[0]->fi_sflags < 7'
some "^fscontrol $work/fo_one"
asked 'args[0]->fi_dbuflen > 0'
some "^direnum $work|"
asked 'args[0]->fi_name == "fo_one"'
some "^create $work/fo_one"
some "^setinfo $work/fo_one"
some "^done $work/fo_one"
asked 'args[0]->fi_name != "fo_one"'
some "^rename $work/fo_dir/fo_more"
some "^create $work/fo_two"
asked 'args[0]->fi_name == "fo_folder"'
some "^direnum $work"
asked 'args[0]->fi_fs == "anon_inodefs"'
some "^dirnotify anon_inode:inotify"
asked "args[0]->fi_mount == \"$mount\"" "${far:-}"
some "^read $work/fo_one"
asked "args[0]->fi_mount != \"$mount\"" "${far:-}"
asked "args[0]->fi_fs == \"$fs\" && (args[0]->fi_bcount == 10 || args[0]->fi_name == \"fo_two\") && execname == \"fileops\""
some "^read $work/fo_one"
some "^cleanup $work/fo_two"
asked 'probename != "read" && args[0]->fi_fs == "anon_inodefs"'

# what nobody asks for is not sent
on -v -n 'fsinfo:::read /pid == $target && args[0]->fi_name == "no such"/ { trace(1); }'
like "nothing passes" "$err" "*records read: * of perf events, 0 of BPF programs*"

finish
