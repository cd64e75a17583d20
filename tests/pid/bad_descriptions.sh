# What cannot be probed is refused with one sentence and status 1.
# needs: user
. tests/lib/lib.sh

bad() { # bad DESCRIPTION PATTERN
	d -x errtags -qn "$1 { exit(0); }" -c "$TARGETS/t 1"
	ends 1 "$1"
	like "$1" "$err" "dtrace: invalid probe specifier $1 { exit(0); }: $2"
	is "$1: printed" "$out" ""
}
bad 'pid$target:a.out:nofunc:entry' "\[D_PROC_FUNC\] failed to lookup 'nofunc' in module 'a.out'*"
bad 'pid$target:a.out:main:foo' "\[D_PROC_NAME\] 'foo' is an invalid probe name"
bad 'pid$target:a.out:main:ffffff' "\[D_PROC_OFF\] offset 0xffffff outside of function 'main'"
bad 'pid$target:libc.so.6:-:800' "\[D_PROC_LIB\] only the a.out module is valid with the '-' function"
bad 'pid$target:a.out:-:*' "\[D_PROC_NAME\] only individual addresses may be specified with the '-' function"
bad 'pid$target:nolib:f:entry' '\[D_PDESC_ZERO\] probe description pid*:nolib:f:entry does not match any probes*-Z, or -p when it is there'
bad 'pid$target::nosuch*:entry' '\[D_PDESC_ZERO\] *does not match any probes'
bad 'pid999999:::entry' '\[D_PROC_GRAB\] failed to grab process 999999*'
bad 'pid0:::entry' '\[D_PROC_BADPID\] *pid0* does not contain a valid pid'
d -x errtags -qn 'pid$target:::entry { exit(0); }'
like 'pid$target without a target' "$err" '*\[D_PROC_BADPID\] *pid0* does not contain a valid pid
dtrace: $target is a process of -c or -p, and neither is given'
d -x errtags -qn 'pid$target:a.out:laef:entry { exit(0); }' -c "$TARGETS/t 1"
like "near names are suggested" "$err" '*laef*leaf*'
finish
