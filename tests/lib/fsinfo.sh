# Predicates and counts of fsinfo: what the kernel does of them is the same as what the engine makes of all records.
# shellcheck disable=SC2034 # "n", "all": of the tests that read this
work=$(realpath "$TMP")/fo_folder
all='fsinfo:::create, fsinfo:::cleanup, fsinfo:::close, fsinfo:::read, fsinfo:::write, fsinfo:::setinfo, fsinfo:::delete, fsinfo:::rename,
	fsinfo:::direnum, fsinfo:::flush, fsinfo:::queryinfo, fsinfo:::fscontrol, fsinfo:::dirnotify, fsinfo:::done'
show='printf("%s %s|%s|%s|%s|%d|%x|%d|%o|%d|%d|%d|%d|%d|%s\n", probename, args[0]->fi_pathname, args[0]->fi_name, args[0]->fi_fs, args[0]->fi_mount,
	args[0]->fi_offset, args[0]->fi_oflags, args[0]->fi_cflags, args[0]->fi_aflags, args[0]->fi_sflags, args[0]->fi_bcount, args[0]->fi_extinfo,
	args[0]->fi_rstatus, args[0]->fi_dbuflen, args[0]->fi_newname);'

# on ARGS...: what is printed of one run of the program in a folder that is new; -v's lines in err
on() {
	rm -rf "$work"
	mkdir "$work"
	rm -f "$TMP/told"
	d "$@" -o "$TMP/told" -x evaltime=exec -c "$program"
	ends 0 "$*"
	out=$(sed -e '/^$/d' -e '/^Stability/,/Minimum Statement/d' -e '/^\t\t[IDe]/d' -e '/FUNCTION:NAME/d' -e 's/.* : //' "$TMP/told")
}

# same WHAT: out is plain
same() {
	printf '%s\n' "$plain" >"$TMP/plain"
	printf '%s\n' "$out" | diff "$TMP/plain" - >"$TMP/diff" || fail "$1: $(cat "$TMP/diff")"
}

# ask PREDICATE...: of all in one run: variables are what the kernel does not have: then it sends all. Into $TMP/asked.N
ask() {
	n=0 text=
	for p; do
		n=$((n + 1))
		text="$text $all /$whose/ { this->holds = ($p) ? 1 : 0; } $all /this->holds/ { this->holds = 0; printf(\" : $n:\"); $show }"
	done
	rm -f "$TMP"/asked.*
	on -n "$text"
	printf '%s\n' "$out" | awk -F: -v to="$TMP/asked." '/^[0-9]+:/ { f = to $1; sub(/^[0-9]+:/, ""); print >f }'
	n=0
}

# asked PREDICATE [anywhere]: the next of those
asked() {
	n=$((n + 1))
	plain=$(cat "$TMP/asked.$n" 2>/dev/null)
	on -v -n "$all /($1) && $whose/ { printf(\" : \"); $show }"
	[ "${2:-}" ] || like "$1: in the kernel" "$err" "*filtered in the kernel: * of fsinfo: *args\\[0\\]->*"
	same "$1"
}

# some PATTERN: of what passed, lines are such, and of what did not, none: the predicate has something to choose
some() {
	printf '%s\n' "$out" | grep -q -- "$1" || fail "no line $1 in $(printf '%s\n' "$out" | tail -20)"
}

# counted CLAUSES
counted() {
	on -x claim=off -n "$1"
	plain=$out
	on -v -n "$1"
	like "$1: no records" "$err" "*records read: * of perf events, ${2:-0} of BPF programs*"
	same "$1"
}
