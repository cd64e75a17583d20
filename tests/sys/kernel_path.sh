# d_path(): paths of the kernel's files are those that /proc tells.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf

touch "$TMP/file" "$TMP/removed"
# shellcheck disable=SC2016
fds='this->f = curthread->files->fdt->fd'
"$DTRACE" -qn 'BEGIN { printf("%s|%s|%s\n", d_path(&curthread->mm->exe_file->f_path), d_path(&curthread->fs->pwd),
	d_path(&curthread->fs->root)); exit(0); }' >"$TMP/out" 2>"$TMP/err" </dev/null
is "executable and folders" "$(cat "$TMP/out")" "$(readlink -f "$DTRACE")|$(pwd -P)|/"

path_of_input() { # path_of_input FILE: of standard input
	"$DTRACE" -qn "BEGIN { $fds; printf(\"%s\", d_path(&this->f[0]->f_path)); exit(0); }" <"$1" 2>"$TMP/err"
}
is "a file" "$(path_of_input "$TMP/file")" "$(readlink -f "$TMP/file")"
is "below a mount" "$(path_of_input /proc/version)" "/proc/version"
is "a device" "$(path_of_input /dev/null)" "/dev/null"
got=$( (rm "$TMP/removed"; "$DTRACE" -qn "BEGIN { $fds; printf(\"%s\", d_path(&this->f[0]->f_path)); exit(0); }") <"$TMP/removed")
is "a file that is gone" "$got" "$(readlink -f "$TMP")/removed (deleted)"
got=$(: | "$DTRACE" -qn "BEGIN { $fds; printf(\"%s %d\", d_path(&this->f[0]->f_path), this->f[0]->f_inode->i_ino); exit(0); }")
is "a pipe" "${got% *}" "pipe:[${got#* }]"

# cut as any string
got=$("$DTRACE" -x strsize=9 -qn "BEGIN { $fds; printf(\"%s\", d_path(&this->f[0]->f_path)); exit(0); }" </proc/version)
is "strsize" "$got" "/proc/ver"

# in other threads' events
d -qn 'syscall::read:entry /pid == $target/ { printf("%s", d_path(&curthread->mm->exe_file->f_path)); exit(0); }' \
	-c 'dd if=/dev/zero of=/dev/null bs=1'
is "of an event" "$out" "$(readlink -f "$(command -v dd)")"

# no path, and nothing of the kernel
d -qn 'BEGIN { d_path(NULL); } BEGIN { d_path((struct path *)curpsinfo->pr_argv); } ERROR { printf("%d ", arg4); } tick-1ms { exit(0); }'
is "no address" "$out" "1 1 "
d -en 'BEGIN { d_path("/etc"); }'
ends 1 "a text"
like "a text" "$err" "*d_path( ) argument #1 is incompatible with prototype:
	prototype: struct path \*
	 argument: string*"
finish
