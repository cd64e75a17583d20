# Without privileges the operations of one's own programs are seen by the stops of their calls: as often as the program says, with
# the same members, also in children.
# needs: user
. tests/lib/lib.sh
"$DTRACE" --doctor | grep -q '^ptrace  *\(works\|limited\)' || skip "$("$DTRACE" --doctor | grep '^ptrace')"
"$DTRACE" --doctor | grep -q '^tracepoints  *works' && skip "this user has the privileges"
work=$(realpath "$TMP")/fo_folder

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
	is "nothing to complain of" "$(cat "$TMP/err")" ""
}
run '@[probename] = count(); @n[probename == "done" ? "ends" : "starts"] = count();' create cleanup read write setinfo delete rename direnum \
	flush queryinfo fscontrol dirnotify close done
sort "$TMP/said" >"$TMP/sorted"
is "counts" "$(counts "$TMP/told" | grep -v '^close\|^done\|^ends\|^starts')" "$(cat "$TMP/sorted")"
is "close as cleanup" "$(awk '$1 == "close" { print $2 }' "$TMP/told")" "$(awk '$1 == "cleanup" { print $2 }' "$TMP/told")"
is "ends" "$(awk '$1 == "ends" { print $2 }' "$TMP/told")" "$(awk '{ n += $2 } END { print n }' "$TMP/said")"

run 'printf("%s %s|%s|%s|%s|%s|%d|%x|%d|%o|%d|%d|%d|%d|%d|%s|\n", probename, args[0]->fi_pathname, args[0]->fi_name,
	args[0]->fi_dirname, args[0]->fi_fs, args[0]->fi_mount, args[0]->fi_offset, args[0]->fi_oflags & 0xfff, args[0]->fi_cflags,
	args[0]->fi_aflags, args[0]->fi_sflags, args[0]->fi_bcount, args[0]->fi_extinfo, args[0]->fi_rstatus,
	args[0]->fi_dbuflen, args[0]->fi_newname);' create write rename direnum fscontrol done
fs=$(stat -f -c %T "$work") mount=$(df --output=target "$work" | tail -1)
case $fs in ext*) fs=ext ;; esac
has() { # has WHAT PATTERN: a line of $TMP/told
	grep -qx -- "$2" "$TMP/told" || fail "$1: no line $2 in
$(cat "$TMP/told")"
}
has "made" "create $work/fo_one|fo_one|$work|$fs[^|]*|$mount|0|242|3|644|7|0|0|0|0||"
has "made anew, at its end" "done $work/fo_two|fo_two|$work|$fs[^|]*|$mount|0|c2|2|100600|7|0|[0-9]*|0|0||"
has "a write at a place" "write $work/fo_one|fo_one|$work|$fs[^|]*|$mount|100|2|0|100644|7|50|0|0|0||"
has "its end" "done $work/fo_one|fo_one|$work|$fs[^|]*|$mount|100|2|0|100644|7|50|50|0|0||"
has "a list of buffers" "write $work/fo_one|fo_one|$work|$fs[^|]*|$mount|300|2|0|100644|7|128|0|0|0||"
has "a new name" "rename $work/fo_dir/fo_more|fo_more|$work/fo_dir|$fs[^|]*|$mount|0|0|0|0|7|0|0|0|0|$work/fo_dir/fo_other|"
has "a folder read" "direnum $work|fo_folder|$(dirname "$work")|$fs[^|]*|$mount|0|0|0|40755|7|1000|0|0|1000||"
has "a request" "fscontrol $work/fo_one|fo_one|$work|$fs[^|]*|$mount|[0-9]*|402|0|100644|7|0|21531|0|0||"
has "an error" "done $work/fo_one|fo_one|$work|$fs[^|]*|$mount|0|0|0|0|7|100|0|-\(61\|95\)|0||"

# descriptors that are duplicates, of a range, at the end; in children; pipes only if they are asked for
cat >"$TMP/closes.py" <<'END'
import os, sys
d = sys.argv[1]
def made(name):
    return os.open(d + "/" + name, os.O_RDWR | os.O_CREAT)
fd = made("duplicate")
copy = os.dup(fd)
os.close(fd)
os.close(copy)
fd = made("range")
os.closerange(fd, fd + 1)
inherited = made("inherited")
if os.fork() == 0:
    made("of_a_child")
    os._exit(0)
os.wait()
os.close(inherited)
if os.fork() == 0:
    os._exit(0)
os.wait()
made("at_the_end")
r, w = os.pipe()
os.write(w, b"a")
os._exit(0)
END
python=$(command -v python3) && python=$("$python" -c 'import sys; print(sys.executable)') || skip "no python3 for the rest"
mkdir "$TMP/files" && chmod 755 "$TMP/files"
d -qn 'fsinfo:::create, fsinfo:::close /args[0]->fi_dirname == $$1/ { @[args[0]->fi_name, probename] = count(); }
	fsinfo:::write /args[0]->fi_fs == "pipefs"/ { @["pipe", probename] = count(); }' -c "$python -I -S $TMP/closes.py $(realpath "$TMP/files")" "$(realpath "$TMP/files")"
ends 0 "closes"
is "closes" "$(echo "$out" | awk 'NF { print $1, $2, $3 }' | sort)" "at_the_end close 1
at_the_end create 1
duplicate close 1
duplicate create 1
inherited close 1
inherited create 1
of_a_child close 1
of_a_child create 1
range close 1
range create 1"
d -x fsinfosock -qn 'fsinfo:::write /args[0]->fi_fs == "pipefs"/ { @[probename] = count(); }' -c "$python -I -S $TMP/closes.py $TMP/files"
is "a pipe" "$(echo "$out" | awk 'NF { print $2 }')" 1
d -qn 'fsinfo:::read { @[ustackdepth > 0] = count(); }' -c "cat /etc/passwd"
like "stacks" "$out" "* 1 *[1-9]*"
finish
