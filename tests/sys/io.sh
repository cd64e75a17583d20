# Requests of a disk, and the files they are for.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
name=data$$ # other tests write, too
file=$(realpath "$TMP")/$name
case $(df --output=source "$TMP" | tail -1) in
/dev/*) ;;
*) skip "the scratch folder is on no disk" ;;
esac
case $(stat -f -c %T "$TMP") in
overlay*) skip "the scratch folder is on an overlay" ;;
esac

"$DTRACE" -qo "$TMP/out" -n 'io:::start /args[2]->fi_name == "'$name'"/
	{ @[args[2]->fi_pathname, args[0]->b_flags & B_WRITE ? "write" : "read"] = sum(args[0]->b_bcount); }
	io:::done /args[2]->fi_name == "'$name'"/ { @d["done"] = sum(args[0]->b_bcount); @t["took", args[0]->resp > 0 ? "time" : "no time"] = count(); }
	io:::start /args[2]->fi_name == "'$name'"/ { @n[args[1]->dev_pathname] = count(); }' \
	-c "dd if=/dev/zero of=$file bs=1M count=8 conv=fsync" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
like "bytes written" "$(cat "$TMP/out")" "*$file *write *8388608*"
like "bytes done" "$(cat "$TMP/out")" "*done *8388608*"
like "time" "$(cat "$TMP/out")" "*took *time *"
case $(cat "$TMP/out") in *"no time"*) fail "a request without time: $(cat "$TMP/out")" ;; esac

"$DTRACE" -qo "$TMP/out" -n 'io:::start /execname == "dd" && pid == $target && args[2]->fi_name == "'$name'"/
	{ @[args[0]->b_flags & (B_READ | B_PHYS)] = sum(args[0]->b_bcount); }
	io:::wait-start /pid == $target/ { self->w = 1; @w["waits"] = count(); }
	io:::wait-start, io:::wait-done /pid == $target && args[2]->fi_name == "'$name'" && args[0]->b_addr && args[0]->b_blkno && args[0]->b_bcount &&
		args[0]->b_flags & B_READ && args[1]->dev_major/ { @last[probename] = count(); }
	io:::wait-done /self->w && args[0]->resp/ { self->w = 0; @w["waited"] = count(); }' \
	-c "dd if=$file of=/dev/null bs=1M iflag=direct" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
like "read past the page cache" "$(cat "$TMP/out")" "*96 *8388608*"
like "of what was submitted last" "$(cat "$TMP/out")" "*wait-start *"
like "of what was submitted last, at the end" "$(cat "$TMP/out")" "*wait-done *"
is "waits" "$(awk '$1 == "waits" { print $2 }' "$TMP/out")" "$(awk '$1 == "waited" { print $2 }' "$TMP/out")"

# each member of bufinfo_t, devinfo_t and fileinfo_t: one request, at its beginning and at its end
disk=$(df --output=source "$TMP" | tail -1)
disk=$(realpath "$disk")
devno=$(stat -c '%Hr %Lr' "$disk")
part_start=$(cat "/sys/class/block/${disk##*/}/start" 2>/dev/null || echo 0)
rm -f "$TMP/out"
"$DTRACE" -qo "$TMP/out" -n 'BEGIN { addr = (uintptr_t)0; } io:::start, io:::done /args[2]->fi_name == "'$name'" && args[0]->b_bcount == 65536/
	{ printf("%s|%d %d|%s|%s|%d %d %d|%d|%d|%d|%s|%s|%s|%s|%d|%d\n", probename, args[1]->dev_major, args[1]->dev_minor, args[1]->dev_statname,
	    args[1]->dev_pathname, args[0]->b_bufsize, args[0]->b_error, args[0]->b_resid, args[0]->b_edev == (args[1]->dev_major << 20 | args[1]->dev_minor),
	    args[0]->b_blkno - args[0]->b_lblkno, args[0]->b_addr == addr || probename == "start", args[2]->fi_pathname, args[2]->fi_dirname,
	    args[2]->fi_fs, args[2]->fi_mount, args[2]->fi_bcount, args[2]->fi_offset); addr = args[0]->b_addr; }' \
	-c "dd if=$file of=/dev/null bs=64k skip=3 count=1 iflag=direct" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
rest="|$devno|${disk##*/}|$disk|65536 0 0|1|$part_start|1|$file|${file%/*}|$(findmnt -nT "$file" -o FSTYPE)|$(findmnt -nT "$file" -o TARGET)|65536|196608"
is "members of one request" "$(grep . "$TMP/out")" "start$rest
done$rest"

# requests under way at once are told apart by arg0
keep_cpus_awake
rm -f "$TMP/out"
"$DTRACE" -qo "$TMP/out" -n 'io:::start /args[2]->fi_name == "'$name'"/ { at[arg0] = args[0]->b_blkno; dev[arg0] = arg1; }
	io:::done /at[arg0]/ { @[at[arg0] == args[0]->b_blkno && dev[arg0] == args[0]->b_edev && arg0 == (uintptr_t)args[0]->b_addr ? "its own" : "of another"] = count(); at[arg0] = 0; }' \
	-c "sh -c 'for i in 0 1 2 3; do dd if=$file of=/dev/null bs=16k skip=\$((i * 128)) count=128 iflag=direct & done; wait'" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
is "requests at once" "$(awk 'NF { $1 = $1; print }' "$TMP/out")" "its own 512"

# what the file system keeps for itself has no path
d -qn 'io:::start /args[2]->fi_fs == "bdev"/ { @[args[2]->fi_pathname] = count(); }' -c "sh -c 'mkdir $TMP/d; sync'"
ends 0 "the file system's own"
is "no path" "$(echo "$out" | grep -vc -e '<meta>' -e ' /dev/' -e '^ *$')" 0

# aggregated in the kernel: as many requests and bytes as dd has read, and no record
d -v -o "$TMP/keyed" -n "io:::start /pid == \$target/ { @n[args[0]->b_bcount, execname] = count(); @s = sum(args[0]->b_bcount); }
	io:::done /pid == \$target/ { @e[args[0]->b_error, args[0]->b_resid] = count(); }" -c "dd if=$file of=/dev/null bs=64k iflag=direct"
ends 0 "aggregated in the kernel"
like "aggregated in the kernel: no records" "$err" "*records read: * of perf events, 0 of BPF programs*"
bytes=$(stat -c %s "$file")
is "its reads" "$(awk '$2 == "dd" { n += $1 * $3 } END { print n }' "$TMP/keyed")" "$(awk 'NF == 1 { print $1 }' "$TMP/keyed")"
[ "$(awk 'NF == 1 { print $1 }' "$TMP/keyed")" -ge "$bytes" ] || fail "dd has read $bytes: $(cat "$TMP/keyed")"
finish
