# Operations by io_uring, of descriptors, of registered files and of paths, with what comes of each: as the program says.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
file=$(realpath "$TMP")/ringed
said=$("$TARGETS/ringops" "$file")
[ "$said" != "no ring" ] || skip "no io_uring here"
is "the program" "$said" "writes 3 300 reads 2 100"
show='printf("%s %s %d %d %d\n", probename, args[0]->fi_pathname, args[0]->fi_offset, args[0]->fi_bcount, args[0]->fi_extinfo);'
d -qn "fsinfo:::read /pid == \$target && args[0]->fi_name == \"ringed\"/ { $show }
	fsinfo:::write /pid == \$target && args[0]->fi_name == \"ringed\"/ { $show }
	fsinfo:::setinfo, fsinfo:::flush /pid == \$target && args[0]->fi_name == \"ringed\"/ { $show }
	fsinfo:::done /pid == \$target && args[0]->fi_name == \"ringed\" && args[0]->fi_bcount/ { $show }" -c "$TARGETS/ringops $file"
ends 0 "io_uring"
is "requests and their ends" "$(echo "$out" | grep -v '^$\|^writes')" "write $file 0 100 0
done $file 0 100 100
write $file 100 100 0
done $file 100 100 100
write $file 200 100 0
done $file 200 100 100
read $file 0 50 0
done $file 0 50 50
read $file 250 50 0
done $file 250 50 50
setinfo $file 8192 4096 1
done $file 8192 4096 0
flush $file 100 200 0
done $file 100 200 0"

# with paths, and what else there is: each once, in this order, with its result
mkdir "$TMP/ring"
folder=$(realpath "$TMP/ring")
text=
for probe in create cleanup read write setinfo delete rename flush queryinfo; do
	text="$text fsinfo:::$probe /pid == \$target && strstr(args[0]->fi_pathname, \"$folder/\") == args[0]->fi_pathname/
		{ ops[args[0]->fi_irp] = probename; started++; }"
done
d -x evaltime=exec -qo "$TMP/told" -n "$text fsinfo:::done /pid == \$target && ops[args[0]->fi_irp] != NULL/ {
		printf(\"%s %s %d\n\", ops[args[0]->fi_irp], args[0]->fi_pathname, args[0]->fi_rstatus ? args[0]->fi_rstatus : args[0]->fi_extinfo);
		ops[args[0]->fi_irp] = 0; ended++; }
	END { printf(\"%d without end\n\", started - ended); }" -c "$TARGETS/ringops $folder paths"
ends 0 "paths"
is "with paths" "$(grep . "$TMP/told")" "$(echo "$out" | sed "s| d| $folder/d|")
0 without end"

# their members
"$TARGETS/ringops" "$folder" paths >/dev/null || fail "once more"
show='printf("%s %s [%s] %d %d %x %d %o %d %s\n", probename, args[0]->fi_name, args[0]->fi_newname, args[0]->fi_offset,
	args[0]->fi_bcount, args[0]->fi_oflags & 0xfff, args[0]->fi_cflags, args[0]->fi_aflags, args[0]->fi_extinfo, args[0]->fi_dirname);'
text=
for probe in create read write setinfo delete rename queryinfo; do
	text="$text fsinfo:::$probe /pid == \$target && strstr(args[0]->fi_pathname, \"$folder/\") == args[0]->fi_pathname/ { $show }"
done
d -x evaltime=exec -qo "$TMP/told" -n "$text" -c "$TARGETS/ringops $folder paths"
ends 0 "members"
has() {
	grep -qxF -- "$2" "$TMP/told" || fail "$1: no line $2 in
$(cat "$TMP/told")"
}
has "a folder made" "create d [] 0 0 0 2 40750 0 $folder"
has "a file made" "create f [] 0 0 c2 2 640 0 $folder/d"
has "openat2" "create g [] 0 0 42 1 600 0 $folder/d"
has "a symbolic link" "create l [] 0 0 0 2 120000 0 $folder/d"
has "another name" "rename h [$folder/d/i] 0 0 0 0 0 0 $folder/d"
has "a splice's read" "read f [] 40 30 2 0 100640 0 $folder/d"
has "a splice's write" "write g [] 7 30 2 0 100600 0 $folder/d"
has "a descriptor asked about" "queryinfo g [] 0 0 2 0 100600 0 $folder/d"
has "a folder deleted" "delete d [] 0 0 0 0 0 512 $folder"

# by their names, in the kernel
d -x evaltime=exec -v -n 'fsinfo:::create, fsinfo:::delete /pid == $target && args[0]->fi_name == "g"/ { @[probename, args[0]->fi_name] = count(); }' \
	-c "$TARGETS/ringops $folder paths"
ends 0 "counted by names"
like "created, by name" "$out" "*create * g * 1*"
like "deleted, by name" "$out" "*delete * g * 1*"
like "no record" "$err" "*records read: * of perf events, 0 of BPF programs*"

d -qn 'fsinfo:::read /pid == $target/ { @r = count(); } fsinfo:::write /pid == $target/ { @w = count(); } fsinfo:::done /pid == $target/ { }' -c "$TARGETS/ringops $file"
ends 0 "without details"
# without details: counted as often
d -x evaltime=exec -q -x claim=off -n 'fsinfo:::create, fsinfo:::delete, fsinfo:::cleanup, fsinfo:::rename, fsinfo:::done /pid == $target/ { @[probename] = count(); }' \
	-c "$TARGETS/ringops $folder paths"
plain=$(echo "$out" | grep '^  ')
d -x evaltime=exec -qn 'fsinfo:::create, fsinfo:::delete, fsinfo:::cleanup, fsinfo:::rename, fsinfo:::done /pid == $target/ { @[probename] = count(); }' \
	-c "$TARGETS/ringops $folder paths"
is "without details" "$(echo "$out" | grep '^  ')" "$plain"
like "deleted" "$plain" "* delete * 5*"
finish
