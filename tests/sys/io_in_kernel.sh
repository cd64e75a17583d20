# Clauses on requests of a disk with variables of their own run whole in the kernel: the same results as of records, and nothing is lost.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
file=$(realpath "$TMP")/data$$ # other tests write, too
case $(df --output=source "$TMP" | tail -1) in
/dev/*) ;;
*) skip "the scratch folder is on no disk" ;;
esac
case $(stat -f -c %T "$TMP") in
overlay*) skip "the scratch folder is on an overlay" ;;
esac
dd if=/dev/zero of="$file" bs=1M count=8 conv=fsync 2>/dev/null
keep_cpus_awake
disk=$(realpath "$(df --output=source "$TMP" | tail -1)")
reads="dd if=$file of=/dev/null bs=32k count=100 iflag=direct"

# both WHAT CLAUSES SCRIPT: so many run in the kernel, without records, and come to what records come to
both() {
	d -qo "$TMP/plain" -x claim=off -n "$3" -c "$reads"
	ends 0 "$1, of records"
	d -vo "$TMP/verbose" -n "$3" -c "$reads"
	ends 0 "$1"
	like "$1: in the kernel" "$err" "*run in the kernel: $2 clause* of io*records read: * of perf events, 0 of BPF programs*"
	d -qo "$TMP/kept" -n "$3" -c "$reads"
	ends 0 "$1"
	is "$1" "$(cat "$TMP/kept")" "$(cat "$TMP/plain")"
	grep -q '[0-9]' "$TMP/plain" || fail "$1: nothing was counted"
	rm -f "$TMP/plain" "$TMP/kept" "$TMP/verbose"
}

# only dd reads so much at once, past the page cache
mine='args[0]->b_bcount == 32768 && args[0]->b_flags & B_READ && args[0]->b_flags & B_PHYS'
both "a request is found again" 2 "io:::start /$mine/ { at[arg0] = args[0]->b_blkno + 1; }
	io:::done /at[arg0] && $mine/ { @[at[arg0] == args[0]->b_blkno + 1, args[1]->dev_statname, args[0]->b_flags & B_READ ? \"R\" : \"W\"] = count(); @b = sum(args[0]->b_bcount); at[arg0] = 0; }"
like "whose" "$(d -q -n "io:::start /$mine/ { at[arg0] = 1; } io:::done /at[arg0]/ { @[args[1]->dev_statname, execname] = count(); at[arg0] = 0; }" -c "$reads"; echo "$out")" "*${disk##*/} *dd *100*"
both "numbers of a request" 1 "io:::done /$mine/ { n++; @[args[0]->b_edev == arg1, args[1]->dev_major, args[1]->dev_minor, args[0]->b_error, args[0]->b_resid] = llquantize(args[0]->b_bcount, 10, 0, 6, 10); @m = max(args[0]->b_bufsize); @t[args[0]->resp > 0, arg0 == (uintptr_t)args[0]->b_addr] = min(1); } END { printf(\"%d\", n); }"

both "where it is asked for" 1 "io:::start /$mine/ { n++; @[stack(3)] = count(); }"
# a program that becomes another: whose requests they were when they were made
cat >"$TMP/becomes" <<'END'
import mmap, os, sys
memory = mmap.mmap(-1, 32768, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
with open("/proc/self/comm", "w") as f:
    f.write("before")
fd = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
for i in range(50):
    os.preadv(fd, [memory], i * 32768)
os.execvp("dd", ["dd", "if=" + sys.argv[1], "of=/dev/null", "bs=32k", "count=70", "iflag=direct"])
END
for clauses in "io:::start /$mine/ { @[execname] = count(); }" "io:::start /$mine/ { n++; @[execname] = count(); }" "io:::done /$mine/ { n++; @[execname] = count(); }"; do
	d -qo "$TMP/kept" -n "$clauses" -c "python3 $TMP/becomes $file"
	ends 0 "becomes another"
	is "becomes another: $clauses" "$(awk '$1 == "before" || $1 == "dd" { print $1, $2 }' "$TMP/kept" | tr '\n' ' ')" "before 50 dd 70 "
	rm "$TMP/kept"
done

# many at once
d -qo "$TMP/out" -n "io:::start /$mine/ { at[arg0] = timestamp; n++; } io:::done /at[arg0]/ { @[timestamp >= at[arg0] ? \"sane\" : \"not sane\"] = count(); at[arg0] = 0; } END { printf(\"all %d\n\", n); }" \
	-c "sh -c 'for i in 0 1 2 3; do dd if=$file of=/dev/null bs=32k skip=\$((i * 50)) count=50 iflag=direct & done; wait'"
ends 0 "many at once"
is "many at once" "$(awk '$1 == "all" || $1 == "sane" || $1 == "not" { print $NF }' "$TMP/out" | tr '\n' ' ')" "200 200 "

# what such programs do not know makes records
d -v -n 'io:::start { self->t = timestamp; } io:::done /self->t/ { @ = count(); }' -c true
like "a variable of a thread" "$err" "*makes records: the clause of io:::start at line 1: a variable of a thread, which may not be the one that runs*"
d -v -n 'io:::merge { n++; }' -c true
like "another event" "$err" "*makes records: the clause of io:::merge at line 1: it has probes whose programs keep nothing*"
d -v -n 'int n; io:::start { n += args[2]->fi_offset; }' -c true
like "a member" "$err" "*makes records: the clause of io:::start at line 1: *"
finish
