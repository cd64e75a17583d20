# Names in predicates and counts of fsinfo that the kernel has no room for, and those of paths; files of io_uring: the same.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
. tests/lib/fsinfo.sh

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

# paths, of which the kernel knows the end: of open files, of what is asked for, of folders
at() {
	printf 'args[0]->fi_pathname == "%s"' "$1"
}
ask "$(at "$work/fo_short")" "$(at "$work/fo_a_name_that_is_much_longer_than_that")" "$(at "$work/fo_d")" "$(at "$work")" "$(at /)"
for name in "$work/fo_short" "$work/fo_a_name_that_is_much_longer_than_that" "$work/fo_d" "$work"; do
	asked "$(at "$name")"
	[ "$plain" ] || fail "nothing is at $name"
done
on -v -n "fsinfo:::write, fsinfo:::read /pid == \$target && $(at /no/such/name)/ { trace(1); }"
like "no such path" "$err" "*records read: * of perf events, 0 of BPF programs*"

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
