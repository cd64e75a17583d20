# Reads, writes, fallocate and sync_file_range by io_uring, of descriptors and of registered files, with what comes of each.
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
d -qn 'fsinfo:::read /pid == $target/ { @r = count(); } fsinfo:::write /pid == $target/ { @w = count(); } fsinfo:::done /pid == $target/ { }' -c "$TARGETS/ringops $file"
ends 0 "without details"
finish
