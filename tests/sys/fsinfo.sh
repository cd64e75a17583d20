# Operations on files: as often as the program says that it has made them, with the names, places and
# numbers of each, and the end of one with what its start has said.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
work=$(realpath "$TMP")/fo_folder
starts="create cleanup read write setinfo delete rename direnum flush queryinfo fscontrol dirnotify"

# run ACTION PROBE...: the program's own counts are in said, all else that is printed in $TMP/told
run() {
	action=$1
	shift
	text=
	for probe; do
		text="$text fsinfo:::$probe /pid == \$target && (strstr(args[0]->fi_name, \"fo_\") == args[0]->fi_name ||
			args[0]->fi_name == \"anon_inode:inotify\")/ { $action }"
	done
	rm -rf "$work" "$TMP/told"
	mkdir "$work"
	"$DTRACE" -qo "$TMP/told" -n "$text" -c "$TARGETS/fileops $work" >"$TMP/said" 2>"$TMP/err" </dev/null ||
		fail "$(cat "$TMP/err")"
}

# shellcheck disable=SC2086
run '@[probename] = count();' $starts
counts "$TMP/told" >"$TMP/counted"
sort "$TMP/said" >"$TMP/sorted"
is "counts" "$(cat "$TMP/counted")" "$(cat "$TMP/sorted")"

# closed once, ended once, also what the end of the process closes
# shellcheck disable=SC2086
run '@[probename] = count(); @n[probename == "done" ? "ends" : "starts"] = count();' $starts close done
is "close as cleanup" "$(awk '$1 == "close" { print $2 }' "$TMP/told")" "$(awk '$1 == "cleanup" { print $2 }' "$TMP/told")"
all=$(awk '{ n += $2 } END { print n }' "$TMP/said")
is "ends" "$(awk '$1 == "ends" { print $2 }' "$TMP/told")" "$all"

# each end is that of its start
rm -rf "$work"
mkdir "$work"
text='self->irp = args[0]->fi_irp; self->path = args[0]->fi_pathname;'
d -qn "fsinfo:::read /pid == \$target/ { $text } fsinfo:::queryinfo /pid == \$target/ { $text }
	fsinfo:::setinfo /pid == \$target/ { $text } fsinfo:::delete /pid == \$target/ { $text }
	fsinfo:::done /pid == \$target && self->irp/
	{ @[args[0]->fi_irp == self->irp && args[0]->fi_pathname == self->path ? \"paired\" : \"other\"] = count(); self->irp = 0; }" \
	-c "$TARGETS/fileops $work"
like "pairs" "$out" "*paired*"
case $out in *other*) fail "an end of another start: $out" ;; esac

# members
run 'printf("%s %s|%s|%s|%s|%s|%d|%x|%d|%o|%d|%d|%d|%d|%d|%s|\n", probename, args[0]->fi_pathname, args[0]->fi_name,
	args[0]->fi_dirname, args[0]->fi_fs, args[0]->fi_mount, args[0]->fi_offset, args[0]->fi_oflags & 0xfff, args[0]->fi_cflags,
	args[0]->fi_aflags, args[0]->fi_sflags, args[0]->fi_bcount, args[0]->fi_extinfo, args[0]->fi_rstatus,
	args[0]->fi_dbuflen, args[0]->fi_newname);' create write rename direnum fscontrol done queryinfo
fs=$(stat -f -c %T "$work") mount=$(df --output=target "$work" | tail -1)
case $fs in ext*) fs=ext ;; esac
has() { # has WHAT PATTERN: a line of $TMP/told
	grep -qx -- "$2" "$TMP/told" || fail "$1: no line $2 in
$(cat "$TMP/told")"
}
has "made" "create $work/fo_one|fo_one|$work|$fs[^|]*|$mount|0|242|3|644|7|0|0|0|0||"
has "made anew" "create $work/fo_two|fo_two|$work|$fs[^|]*|$mount|0|c2|2|600|7|0|0|0|0||"
has "made, at its end" "done $work/fo_two|fo_two|$work|$fs[^|]*|$mount|0|c2|2|100600|7|0|[0-9]*|0|0||"
has "a write at a place" "write $work/fo_one|fo_one|$work|$fs[^|]*|$mount|100|2|0|100644|7|50|0|0|0||"
has "its end" "done $work/fo_one|fo_one|$work|$fs[^|]*|$mount|100|2|0|100644|7|50|50|0|0||"
has "a list of buffers" "write $work/fo_one|fo_one|$work|$fs[^|]*|$mount|300|2|0|100644|7|128|0|0|0||"
has "a new name" "rename $work/fo_dir/fo_more|fo_more|$work/fo_dir|$fs[^|]*|$mount|0|0|0|0|7|0|0|0|0|$work/fo_dir/fo_other|"
has "a folder read" "direnum $work|fo_folder|$(dirname "$work")|$fs[^|]*|$mount|0|0|0|40755|7|1000|0|0|1000||"
has "a request" "fscontrol $work/fo_one|fo_one|$work|$fs[^|]*|$mount|[0-9]*|402|0|100644|7|0|21531|0|0||"
has "locked" "fscontrol $work/fo_one|fo_one|$work|$fs[^|]*|$mount|[0-9]*|402|0|100644|4|0|8|0|0||"
has "an error" "done $work/fo_one|fo_one|$work|$fs[^|]*|$mount|0|0|0|0|7|100|0|-\(61\|95\)|0||"
has "made a folder" "create $work/fo_dir|fo_dir|$work|$fs[^|]*|$mount|0|0|2|40755|7|0|0|0|0||"

# pipes and sockets: only if they are asked for
pipes='fsinfo:::read /pid == $target && strstr(args[0]->fi_name, "pipe:[") == args[0]->fi_name && args[0]->fi_fs == "pipefs"/ { n++; }
	fsinfo:::read /pid == $target/ { } END { printf("%d\n", n); }'
d -qn "$pipes" -c "sh -c 'echo a | { read a; read b; }'"
is "pipes" "$out" 0
d -qx fsinfosock -n "$(printf '%s' "$pipes" | sed 's/pid == $target/ppid == $target/')" -c "sh -c 'echo a | { read a; read b; }; :'"
[ "$out" -ge 2 ] || fail "with fsinfosock: $out reads of pipes
$err"

d -ln 'fsinfo:::'
is "all" "$(echo "$out" | grep -c vmlinux)" 14

# counted in the kernel: the same, and no record
name=reads$$
cp /bin/cat "$TMP/$name"
count="fsinfo:::read, fsinfo:::cleanup, fsinfo:::close, fsinfo:::queryinfo, fsinfo:::done /execname == \"$name\"/ { @[probename, execname] = count(); }"
d -q -x claim=off -n "$count" -c "$TMP/$name $TMP/$name $TMP/$name"
plain=$(grep -a "$name *[0-9]*\$" "$TMP/out" | sort)
d -v -n "$count" -c "$TMP/$name /etc/hostname"
like "no record" "$err" "*records read: * of perf events, 0 of BPF programs*"
d -q -n "$count" -c "$TMP/$name $TMP/$name $TMP/$name"
is "as many as of records" "$(grep -a "$name *[0-9]*\$" "$TMP/out" | sort)" "$plain"
[ "$(echo "$plain" | wc -l)" = 5 ] || fail "five kinds: $plain"
finish
