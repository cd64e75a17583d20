# Clauses on operations on files run whole in the kernel, as far as they compute and aggregate: the same results as of records, and what the program says.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
. tests/lib/fsinfo.sh

program="$TARGETS/fileops $work"

# both WHAT SCRIPT: all of it runs in the kernel, without records, and comes to what records come to
both() {
	on -q -x claim=off -n "$2"
	plain=$out
	on -v -n "$2"
	like "$1: in the kernel" "$err" "*run in the kernel: * of fsinfo*records read: * of perf events, 0 of BPF programs*"
	on -q -n "$2"
	same "$1"
	is "$1: nothing is said" "$err" ""
	some '[0-9]'
}

both "all starts" 'int n; long order;
	fsinfo:::create, fsinfo:::read, fsinfo:::write, fsinfo:::setinfo, fsinfo:::delete, fsinfo:::rename, fsinfo:::direnum, fsinfo:::flush, fsinfo:::queryinfo,
	fsinfo:::fscontrol, fsinfo:::dirnotify /pid == $target/ { self->n++; n++; order = order * 31 + args[0]->fi_bcount; }
	fsinfo:::create, fsinfo:::read, fsinfo:::write, fsinfo:::setinfo, fsinfo:::delete, fsinfo:::rename, fsinfo:::direnum, fsinfo:::flush, fsinfo:::queryinfo,
	fsinfo:::fscontrol, fsinfo:::dirnotify /pid == $target/ { @same["same", self->n == n] = count(); @o["order", probename] = max(order);
		@q[probename] = quantize(args[0]->fi_bcount); @w[probename, args[0]->fi_offset, args[0]->fi_oflags] = count(); }
	fsinfo:::create /pid == $target && args[0]->fi_cflags == 2/ { made[tid]++; @m["made", execname] = max(made[tid]); }'
some '^ *same *1 '
is "in one order" "$(printf '%s\n' "$out" | grep -c '^ *same *0 ')" 0

# bytes by program: what a call reads of one file it writes to another
both "bytes" 'long in, out; fsinfo:::read /pid == $target && args[0]->fi_offset < 1000/ { in += args[0]->fi_bcount; @i["in", execname] = max(in); reads[in]++; }
	fsinfo:::write /pid == $target && args[0]->fi_bcount < 1000/ { out += args[0]->fi_bcount; @o["out", reads[in] > 0] = max(out); @a["average"] = avg(args[0]->fi_bcount); }'

# which file it is: texts of all lengths, of what is on disk, elsewhere, nowhere, and without a name
both "files" 'int n; fsinfo:::read, fsinfo:::write, fsinfo:::flush, fsinfo:::direnum /pid == $target/ { n++; @[probename, args[0]->fi_pathname, args[0]->fi_bcount] = count();
		@n[args[0]->fi_name, args[0]->fi_dirname, args[0]->fi_fs, args[0]->fi_mount, args[0]->fi_newname, execname] = max(n); }'
some "fo_one "
both "which of them" 'fsinfo:::read, fsinfo:::write /pid == $target/ { @[args[0]->fi_pathname] = sum(args[0]->fi_bcount); }'
some "fo_one "
deep=$TMP/$(printf '%080d/%080d' 1 2)
mkdir -p "$deep"
for i in $(seq 300); do
	case $i in *0) in=$deep ;; *) in=$TMP ;; esac
	printf '%*d' "$i" 0 >"$in/aaaaaaa$((i % 20))bbbbbb$((i / 20))"
	echo "$in/aaaaaaa$((i % 20))bbbbbb$((i / 20))"
done >"$TMP/paths"
for claim in on off; do
	rm -f "$TMP/kept"
	d -qo "$TMP/kept" -x claim=$claim -n 'fsinfo:::read /execname == "cat" || execname == "dd"/ { @[execname, args[0]->fi_pathname] = count(); }' \
		-c "sh -c 'cat \$(cat $TMP/paths); dd count=1 <&-'"
	is "many files, claim=$claim: nothing is said" "$(echo "$err" | grep dtrace)" ""
	grep '/aaaaaaa\|<none>' "$TMP/kept" | sort >"$TMP/sorted.$claim"
done
is "many files" "$(cat "$TMP/sorted.on")" "$(cat "$TMP/sorted.off")"
is "each of them" "$(grep -c 'cat .*/aaaaaaa.* 2$' "$TMP/sorted.on") $(grep -c 'dd *<none> *1$' "$TMP/sorted.on")" "300 1"

# all that finds no room is told
d -qo "$TMP/few" -n 'fsinfo:::read /pid == $target/ { n++; @[args[0]->fi_pathname] = count(); } END { printf("all %d\n", n); }' -x aggsize=16k -c "cat $(head -n 200 "$TMP/paths" | tr '\n' ' ')"
is "no room is told" "$(($(echo "$err" | awk '/aggregation drop.* on CPU/ { n += $2 } END { print n }') + $(awk '$1 ~ /^\// { n += $2 } END { print n }' "$TMP/few")))" "$(awk '$1 == "all" { print $2 }' "$TMP/few")"
[ "$(grep -c /aaaaaaa "$TMP/few")" -lt 200 ] || fail "no room is told: there was room"

# how many the program says that there are, of files that it names
both "counts" 'int n; fsinfo:::rename, fsinfo:::delete, fsinfo:::setinfo, fsinfo:::flush, fsinfo:::direnum /pid == $target/ { n++; @[probename] = count(); @n["all"] = max(n); }'
rm -rf "$work"
mkdir "$work"
"$TARGETS/fileops" "$work" >"$TMP/said"
for op in rename delete flush; do
	is "$op" "$(printf '%s\n' "$out" | awk -v k=$op '$1 == k { print $2; exit }')" "$(awk -v k=$op '$1 == k { print $2 }' "$TMP/said")"
done

# io_uring
file=$(realpath "$TMP")/ringed
if [ "$("$TARGETS/ringops" "$file")" != "no ring" ]; then
	rings='int n; fsinfo:::read, fsinfo:::write, fsinfo:::setinfo, fsinfo:::flush /pid == $target && args[0]->fi_oflags & 3/ { n++; @m["requests"] = max(n);
		@[probename, args[0]->fi_offset, args[0]->fi_bcount] = count(); }'
	program="$TARGETS/ringops $file"
	both "io_uring" "$rings"
	some '^ *write *200 *100 *1'
	some '^ *read *250 *50 *1'
	some '^ *flush *100 *200 *1'
fi

# any number of closes at once; beside records of the same operation, too
mkdir "$TMP/many"
for how in "2500 exit" "100 exec" "200 range"; do
	program="$TARGETS/manyfiles $TMP/many $how"
	both "many closes: $how" 'int n; fsinfo:::close, fsinfo:::cleanup /pid == $target && args[0]->fi_oflags & 0x400/ { n++; self->n++; @["closed", probename, execname, arg1, self->n <= n] = count(); }
		fsinfo:::close /pid == $target && args[0]->fi_oflags & 0x400/ { c[tid]++; @c["in all"] = max(c[tid]); @f[args[0]->fi_pathname] = count(); }'
	[ "$how" = "100 exec" ] || some "^ *in all *${how% *}$" # before Linux 6.10 exec does not tell
done
program="$TARGETS/manyfiles $TMP/many 200 exit"
for claim in on off; do
	on -q -x claim=$claim -n 'int n; fsinfo:::close /pid == $target/ { n++; @[args[0]->fi_name] = count(); } fsinfo:::cleanup /pid == $target && args[0]->fi_oflags & 0x400/ { printf("cleanup\n"); } END { printf("all %d\n", n); }'
	[ $claim = off ] || plain=$out
done
same "one of two"
some 'many_49 *4$'
is "each cleanup" "$(printf '%s\n' "$out" | grep -c cleanup)" 200

# what is of records still, and why: ends
d -lvn 'fsinfo:::read { n++; } fsinfo:::close { m++; }'
like "-lv" "$out" "*line 1: is kept in the kernel*line 1: is kept in the kernel*"
d -lvn 'fsinfo:::read { n++; } fsinfo:::done { m++; }'
case $out in *"is kept in the kernel"*) fail "-lv: with ends" ;; esac
d -lvn 'fsinfo:::read { x[args[0]->fi_name]++; }'
case $out in *"is kept in the kernel"*) fail "-lv: names" ;; esac
finish
