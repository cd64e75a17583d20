# Predicates on what args[0] of fsinfo says, asked in the kernel: the same as when they are asked of all records.
# Counts by its members, and by the names of files that are short: the same, and no record is sent.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
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

program="$TARGETS/fileops $work" whose='pid == $target'
fs=$(awk -v p="$(df --output=target "$TMP" | tail -1)" '$2 == p { t = $3 } END { print t }' /proc/mounts)
mount=$(df --output=target "$TMP" | tail -1)

[ ${#mount} -lt 16 ] || far=anywhere
ask "args[0]->fi_fs == \"$fs\"" \
	"args[0]->fi_fs != \"$fs\"" \
	'args[0]->fi_bcount > 50' \
	'args[0]->fi_offset >= 100 && args[0]->fi_offset < 400' \
	'args[0]->fi_oflags & 2 && !(args[0]->fi_oflags & 0x400)' \
	'args[0]->fi_cflags == 2' \
	'args[0]->fi_aflags & 0100' \
	'args[0]->fi_sflags < 7' \
	'args[0]->fi_dbuflen > 0' \
	'args[0]->fi_name == "fo_one"' \
	'args[0]->fi_name != "fo_one"' \
	'args[0]->fi_name == "fo_folder"' \
	'args[0]->fi_fs == "anon_inodefs"' \
	"args[0]->fi_mount == \"$mount\"" \
	"args[0]->fi_mount != \"$mount\"" \
	"args[0]->fi_fs == \"$fs\" && (args[0]->fi_bcount == 10 || args[0]->fi_name == \"fo_two\") && execname == \"fileops\"" \
	'probename != "read" && args[0]->fi_fs == "anon_inodefs"'
asked "args[0]->fi_fs == \"$fs\""
some "^read $work/fo_one"
some "^done $work/fo_one"
asked "args[0]->fi_fs != \"$fs\""
asked 'args[0]->fi_bcount > 50'
some "^write $work/fo_one.*|100|0|0|0|"
asked 'args[0]->fi_offset >= 100 && args[0]->fi_offset < 400'
some "^write $work/fo_one.*|300|"
asked 'args[0]->fi_oflags & 2 && !(args[0]->fi_oflags & 0x400)'
some "^create $work/fo_one"
asked 'args[0]->fi_cflags == 2'
some "^create $work/fo_dir"
some "^done $work/fo_dir"
asked 'args[0]->fi_aflags & 0100'
some "^direnum $work|"
asked 'args[0]->fi_sflags < 7'
some "^fscontrol $work/fo_one"
asked 'args[0]->fi_dbuflen > 0'
some "^direnum $work|"
asked 'args[0]->fi_name == "fo_one"'
some "^create $work/fo_one"
some "^setinfo $work/fo_one"
some "^done $work/fo_one"
asked 'args[0]->fi_name != "fo_one"'
some "^rename $work/fo_dir/fo_more"
some "^create $work/fo_two"
asked 'args[0]->fi_name == "fo_folder"'
some "^direnum $work"
asked 'args[0]->fi_fs == "anon_inodefs"'
some "^dirnotify anon_inode:inotify"
asked "args[0]->fi_mount == \"$mount\"" "${far:-}"
some "^read $work/fo_one"
asked "args[0]->fi_mount != \"$mount\"" "${far:-}"
asked "args[0]->fi_fs == \"$fs\" && (args[0]->fi_bcount == 10 || args[0]->fi_name == \"fo_two\") && execname == \"fileops\""
some "^read $work/fo_one"
some "^cleanup $work/fo_two"
asked 'probename != "read" && args[0]->fi_fs == "anon_inodefs"'

# what nobody asks for is not sent
on -v -n 'fsinfo:::read /pid == $target && args[0]->fi_name == "no such"/ { trace(1); }'
like "nothing passes" "$err" "*records read: * of perf events, 0 of BPF programs*"

# counted CLAUSES
counted() {
	on -x claim=off -n "$1"
	plain=$out
	on -v -n "$1"
	like "$1: no records" "$err" "*records read: * of perf events, ${2:-0} of BPF programs*"
	same "$1"
}
mine='pid == $target && '
counted "fsinfo:::read, fsinfo:::write /$mine args[0]->fi_fs == \"$fs\"/ { @[execname, args[0]->fi_fs, probename] = count(); }"
some "^ *fileops *$fs *read *[1-9]"
counted 'fsinfo:::read, fsinfo:::write /pid == $target/ { @[args[0]->fi_name, args[0]->fi_bcount] = count(); }'
some "^ *fo_one *128 *4"
counted 'fsinfo:::write /pid == $target/ { @s[args[0]->fi_name] = sum(args[0]->fi_bcount); @q[args[0]->fi_fs] = quantize(args[0]->fi_bcount);
	@l = lquantize(args[0]->fi_offset, 0, 500, 100); @a = avg(args[0]->fi_bcount); }'
some "^ *fo_one *406"
counted "fsinfo:::cleanup, fsinfo:::close /$mine args[0]->fi_name == \"fo_one\"/ { @[probename, args[0]->fi_oflags] = count(); }" 1 # inotify's has no name in a folder
some "^ *cleanup"
some "^ *close"
counted 'fsinfo:::create /pid == $target && args[0]->fi_cflags == 2/ { @[args[0]->fi_cflags] = count(); }'
some "^ *2  *[1-9]"

# names that are longer than there is room for, and those of paths: the rest become records
cat >"$TMP/names" <<'END'
cd "$1" || exit
for n in fo_short fo_fifteen___xx fo_sixteen____xx fo_seventeen___xxx fo_a_name_that_is_much_longer_than_that; do
	echo some >"$n"
	read -r x <"./$n"
	cat <"$1/../fo_folder//$n" >/dev/null
	rm -f ".//$n"
done
mkdir fo_d
rmdir fo_d/
mkdir ./fo_d/
stat fo_d/. . / >/dev/null
END
program="/bin/sh $TMP/names $work" whose='progenyof($target)'
is_called() { # is_called NAME: the predicate
	printf 'args[0]->fi_name == "%s"' "$1"
}
ask "$(is_called fo_short)" "$(is_called fo_fifteen___xx)" "$(is_called fo_d)" "$(is_called fo_folder)" "$(is_called /)" \
	"$(is_called fo_sixteen____xx)" "$(is_called fo_seventeen___xxx)"
for name in fo_short fo_fifteen___xx fo_d fo_folder /; do
	asked "$(is_called $name)"
	[ "$plain" ] || fail "nothing is called $name"
done
for name in fo_sixteen____xx fo_seventeen___xxx; do
	asked "$(is_called $name)" anywhere
	[ "$plain" ] || fail "nothing is called $name"
done
on -x claim=off -n 'fsinfo:::write /args[0]->fi_dirname != "/dev" && pid == $target/ { @[args[0]->fi_name] = count(); }'
plain=$out
on -n 'fsinfo:::write /args[0]->fi_dirname != "/dev" && pid == $target/ { @[args[0]->fi_name] = count(); }'
same "long names"
on -n 'fsinfo:::write /pid == $target/ { @[args[0]->fi_name] = count(); }'
some "^ *fo_a_name_that_is_much_longer_than_that *1"
some "^ *fo_fifteen___xx *1"

# io_uring
program="$TARGETS/ringops $work/ringed" whose='pid == $target'
if [ "$("$TARGETS/ringops" "$TMP/ringed")" != "no ring" ]; then
	ask 'args[0]->fi_name == "ringed" && args[0]->fi_offset == 200'
	asked 'args[0]->fi_name == "ringed" && args[0]->fi_offset == 200'
	some "^done $work/ringed"
	counted 'fsinfo:::write /pid == $target && args[0]->fi_name == "ringed"/ { @[args[0]->fi_offset] = sum(args[0]->fi_bcount); }'
	some "^ *200 *100"
fi
finish
