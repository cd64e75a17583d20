# Changes of folders that are waited for, by inotify and fanotify: as often, and as many bytes, as the program says; locks and
# leases say what others may do with a file.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
folder=$(realpath "$TMP")/watched_folder
mkdir "$folder"
d -qo "$TMP/told" -n 'fsinfo:::dirnotify /pid == $target/ { irps[args[0]->fi_irp] = 1;
		printf("%s %s %d [%s]\n", args[0]->fi_pathname, args[0]->fi_fs, args[0]->fi_extinfo, args[0]->fi_dpattern); }
	fsinfo:::done /pid == $target && irps[args[0]->fi_irp]/ { irps[args[0]->fi_irp] = 0;
		printf("done %s %d\n", args[0]->fi_pathname, args[0]->fi_extinfo); }
	fsinfo:::queryinfo /pid == $target && args[0]->fi_name == "watched"/ { printf("shared %d\n", args[0]->fi_sflags); }' \
	-c "$TARGETS/watcher $folder"
ends 0 "a program that watches"
fs=$(awk '/anon_inode:inotify anon/ { print $2 }' "$TMP/told")
is "inotify" "$(grep inotify "$TMP/told" | grep -v '\[fanotify\]')" "anon_inode:inotify $fs 0 []
done anon_inode:inotify 64" # IN_CREATE and IN_CLOSE_WRITE, each of 16 bytes and a name
like "said" "$out" "inotify watches 1 reads 1 events 2*"
is "watches" "$(grep "^$folder " "$TMP/told" | awk '{ print $3, $4 }' | head -1)" "$((0x108)) []"
case $out in
*"fanotify none"*) ;;
*)
	is "fanotify" "$(grep -F '[fanotify]' "$TMP/told")" "anon_inode:[fanotify] $fs 0 []
done anon_inode:[fanotify] 24"
	is "marks" "$(grep "^$folder " "$TMP/told" | awk '{ print $3, $4 }' | tail -1)" "$((0x8000008)) []"
	is "as many as the program says" "$(grep -vc '^done\|^shared\|^$' "$TMP/told")" \
		"$(echo "$out" | awk '/notify/ { n += $3 + $5 } END { print n }')"
	;;
esac
like "leases" "$out" "*leases 3*"
is "shared with locks and leases" "$(awk '$1 == "shared" { printf "%s ", $2 }' "$TMP/told")" "7 5 4 4 5 7 "
finish
