# in_kernel.sh: clauses that run whole in the kernel, beside the same on records (after lib.sh and sys.sh)
keyed=$TARGETS/keyed

# both WHAT CLAUSES SCRIPT [ARGS]: so many run in the kernel, without records, and come to what records come to
both() {
	d -q -x claim=off -x evaltime=exec -n "$3" -c "$keyed ${4:-300}"
	ends 0 "$1, of records"
	plain=$out
	d -v -x evaltime=exec -o "$TMP/kept" -n "$3" -c "$keyed ${4:-300}"
	ends 0 "$1"
	like "$1: in the kernel" "$err" "*run in the kernel: $2 clause* of syscall*records read: * of perf events, 0 of BPF programs*"
	d -q -x evaltime=exec -n "$3" -c "$keyed ${4:-300}"
	ends 0 "$1"
	is "$1" "$out" "$plain"
	[ -n "$plain" ] || fail "$1: nothing was counted"
}

# lacks WHAT TEXT: it is not on stderr
lacks() {
	case $err in *"$2"*) fail "$1: $err" ;; esac
}

# shellcheck disable=SC2034 # for who includes this
at='syscall::lseek:entry /pid == $target && arg2 == 0/'
