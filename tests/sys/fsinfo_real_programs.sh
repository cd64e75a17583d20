# Operations on files of real programs, from their first system call on: as many as strace counts calls, by what each call is.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
need strace tar python3

python=$(python3 -c "import sys; print(sys.executable)") # what is called python3 may be a script
mkdir "$TMP/in" "$TMP/other"
for i in 1 2 3 4 5 6 7 8 9 10; do
	echo $i >"$TMP/in/f$i"
done
cat >"$TMP/walk.py" <<'END'
import os, sys
top = sys.argv[1]
for name in sorted(os.listdir(top)):
    path = os.path.join(top, name)
    with open(path) as f:
        f.read()
    os.stat(path)
    os.access(path, os.R_OK)
with open(top + "/../other/new", "w") as f:
    f.write("x" * 100000)
    f.flush()
    os.fsync(f.fileno())
    os.truncate(f.fileno(), 10)
os.rename(top + "/../other/new", top + "/../other/newer")
os.unlink(top + "/../other/newer")
try:
    open(top + "/none")
except OSError:
    pass
END

# sum FILE CALL...: how often strace has counted these
sum() {
	file=$1
	shift
	awk -v calls="$*" 'BEGIN { n = split(calls, c, " "); for (i = 1; i <= n; i++) want[c[i]] }
		NF >= 4 && $NF in want { s += $4 } END { print s + 0 }' "$file"
}
# op NAME: how often it was traced
op() {
	echo "$out" | awk -v name="$1" '$1 == name { n = $2 } END { print n + 0 }'
}
while read -r command; do
	# shellcheck disable=SC2086
	strace -f -c -o "$TMP/strace" $command >/dev/null 2>&1 || fail "$command: it fails"
	d -x evaltime=exec -qn 'fsinfo::: /pid == $target/ { @[probename] = count(); }' -c "$command"
	ends 0 "$command"
	is "$command: create" "$(op create)" "$(sum "$TMP/strace" open openat creat)"
	is "$command: read" "$(op read)" "$(sum "$TMP/strace" read pread64 readv preadv)"
	is "$command: write" "$(op write)" "$(sum "$TMP/strace" write pwrite64 writev)"
	is "$command: queryinfo" "$(op queryinfo)" "$(sum "$TMP/strace" stat lstat fstat newfstatat statx statfs fstatfs lseek access faccessat faccessat2 readlink readlinkat)"
	is "$command: direnum" "$(op direnum)" "$(sum "$TMP/strace" getdents64)"
	is "$command: flush" "$(op flush)" "$(sum "$TMP/strace" fsync fdatasync)"
	is "$command: rename" "$(op rename)" "$(sum "$TMP/strace" rename renameat renameat2)"
	is "$command: delete" "$(op delete)" "$(sum "$TMP/strace" unlink unlinkat rmdir)"
	is "$command: close as cleanup" "$(op close)" "$(op cleanup)"
	[ "$(op close)" -gt 10 ] || fail "$command: close: $(op close)"
	[ "$(op close)" -le "$(sum "$TMP/strace" close)" ] || fail "$command: close: $(op close) of $(sum "$TMP/strace" close) calls"
done <<END
tar cf $TMP/out.tar -C $TMP/in .
$python -I -S $TMP/walk.py $TMP/in
END
finish
