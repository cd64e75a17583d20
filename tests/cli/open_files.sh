# fds[fd] is the file that the process has open as fd, as a fileinfo_t (dscripts/lib/files.d).
# needs: user
. tests/lib/lib.sh

printf 'one line\n' >"$TMP/in.txt"
cat >"$TMP/read.d" <<'END'
syscall::read:entry
/fds[arg0].fi_name == "in.txt"/
{
	printf("%s|%s|%d|%d\n", fds[arg0].fi_pathname, fds[arg0].fi_dirname, fds[arg0].fi_offset,
	    fds[arg0].fi_oflags & O_ACCMODE);
	known = fds[arg0].fi_fs != "<none>" && fds[arg0].fi_mount[0] == '/';
}
syscall::exit_group:entry
{
	printf("%s %s %s %d %d", fds[999].fi_name, fds[-1].fi_pathname, fds[999].fi_dirname, fds[999].fi_offset, known);
}
END
d -qs "$TMP/read.d" -c "wc -w $TMP/in.txt"
ends 0 fds
is "what wc reads" "$(grep -v '^2 ' "$TMP/out")" "$TMP/in.txt|$TMP|0|0
$TMP/in.txt|$TMP|9|0
<none> <none> <none> 0 1"
d -qn 'pid$target:a.out:main:entry { trace(fds[0].fi_pathname); trace(fds[0].fi_mount == "/dev" || fds[0].fi_fs != ""); }' -c "$TARGETS/t 1"
like "at a breakpoint" "$out" "*/dev/null1*"
# what is mounted nowhere is of a file system that the kernel keeps for itself
d -qn 'syscall::close:entry { printf("%s|%s|%s\n", fds[arg0].fi_fs, strtok(fds[arg0].fi_pathname, ":"), fds[arg0].fi_mount); }' \
	-x evaltime=exec -c 'sh -c "echo x | cat"'
like "a pipe" "$out" "*pipefs|pipe|<none>*"
finish
