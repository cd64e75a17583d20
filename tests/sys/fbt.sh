# Functions of the kernel where it permits programs there; elsewhere the reason, in its own words.
. tests/lib/lib.sh
answer=$("$DTRACE" --doctor | grep '^fentry')
d -n 'fbt::vfs_read:entry { @ = count(); } tick-1ms { exit(0); }'
case $answer in
*works*) ends 0 "allowed" ;;
*refuses*)
	ends 1 "refused"
	like "refused" "$err" "*probe description fbt::vfs_read:entry does not match any probes: this kernel refuses function-entry programs (BPF fentry: *); fbt is unavailable*"
	;;
*)
	ends 1 "neither"
	like "neither" "$err" "*probe description fbt::vfs_read:entry does not match any probes: *fbt is unavailable*"
	;;
esac
d -Zqn 'fbt::no_such_function:entry { @ = count(); } BEGIN { exit(0); }'
ends 0 "with -Z"
case $answer in
*works*) ;;
*) finish && exit ;;
esac

d -lvn 'fbt::vfs_write:'
like "types" "$out" "*args\[0\]: struct file \**args\[2\]: size_t*args\[1\]: ssize_t*args\[2\]: struct file \**"
d -qn 'fbt::vfs_write:entry /pid == $target/ { printf("%s %d %s", stringof(args[0]->f_path.dentry->d_name.name), args[2], stringof(copyin(arg1, arg2))); }
	fbt::vfs_write:return /pid == $target/ { printf("%d %d %s\n", arg1, args[4], stringof(args[2]->f_path.dentry->d_name.name)); exit(0); }' \
	-c "sh -c 'echo abc >$TMP/written; sleep 5; :'" # its memory is read a little later
is "arguments and results" "$out" "written 4 abc
4 4 written"
d -qn 'fbt::vfs_w*:entry { @[probefunc] = count(); } tick-10ms { exit(0); }'
ends 0 "a pattern"
d -qn 'fbt:::entry { @ = count(); }'
ends 1 "too many"
like "too many" "$err" "*fbt: more than 2000 functions are named*"
finish
