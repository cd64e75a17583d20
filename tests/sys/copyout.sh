# copyout() and copyoutstr() at system calls: privileges change nothing of when they write.
# needs: root
. tests/lib/lib.sh
# what is written to the process is there when the call is made
copied() { # copied WHAT IS CLAUSE
	d -wqn "syscall::write:entry /pid == \$target/ { $3 }" -c "sh -c 'echo abcdef'"
	ends 0 "$1"
	is "$1" "$(tr '\0' 0 <"$TMP/out")" "$2"
}
copied "copyoutstr, without the NUL" XYcdef 'copyoutstr("XYZ", arg1, 2);'
copied "copyoutstr, with the NUL" XY0def 'copyoutstr("XY", arg1, 10);'
copied "copyout" Xbcdef 'this->p = (char *)alloca(1); this->p[0] = 0x58; copyout(this->p, arg1, 1);'
d -wqn 'syscall::write:return /pid == $target && !n++/ { copyoutstr("ab", 8, 2); } ERROR { printf("fault %d at %x\n", arg4, arg5); }' -c "sh -c 'echo abcdef'"
like "an address that is not there" "$out" "*fault 1 at 8*"
finish
