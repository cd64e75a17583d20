# Texts that system calls are given as keys of what is kept in the kernel: the same as of records, also where a page is
# not in memory, or nothing is there; nothing is lost but what finds no room, which is counted.
# needs: root
# timeout: 240
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf

# same NAME PROGRAM [ARGUMENTS]: it is kept in the kernel, and prints what the engine would print; so do its errors.
same() {
	for how in on off; do
		d -x claim=$how -x explain -qn "$2" -o "$TMP/$how" -c "$TARGETS/calltexts ${3:-40}"
		ends 0 "$1: claim=$how"
		sort "$TMP/$how" >"$TMP/$how.sorted"
		rm -f "$TMP/$how"
		echo "$err" | sed -n 's/^dtrace: error on \(.*\)(0x[0-9a-f]*)\(.*\)/\1\2/p' | sort | uniq -c >"$TMP/$how.errors"
		[ $how = off ] || like "$1" "$err" "*: is kept in the kernel*"
		like "$1: nothing is lost" "$(echo "$err" | grep drop)" ""
	done
	grep -q '[1-9]' "$TMP/on.sorted" || fail "$1: nothing was counted"
	is "$1" "$(cat "$TMP/on.sorted")" "$(cat "$TMP/off.sorted")"
	is "$1: errors" "$(cat "$TMP/on.errors")" "$(cat "$TMP/off.errors")"
}

at='syscall::access:entry'
same "each kind" "$at { @[copyinstr(arg0)] = count(); }"
is "errors" "$(awk '{ n += $1 } END { print n }' "$TMP/on.errors")" 120
is "a page that is not in memory" "$(grep -ac 'ELF.* 40$' "$TMP/on.sorted")" 1
# (a record has what the text is, up to its end: what lies behind it is asked of the process, which may be gone)
same "a part, and other keys" "$at /arg1 != 0/ { @[copyinstr(arg0, 4), arg1, execname, probefunc] = sum(arg1); }"
same "two of them" "$at /arg1 != 1/ { @[copyinstr(arg0, 7), copyinstr(arg0 + 1, 9)] = quantize(arg1); }"
same "what follows" "$at { this->at = arg0; @[copyinstr(this->at)] = max(arg1); @n = count(); @k[arg1 & 3] = avg(arg1); }"
same "one character" "$at /arg1 < 7/ { @[copyinstr(arg0, 1), arg1] = count(); @n = count(); }" 5

d -x strsize=512 -qn "$at /arg1 == 5/ { @t[copyinstr(arg0)] = count(); }" -c "$TARGETS/calltexts 3"
ends 0 "512 bytes"
is "512 bytes" "$(echo "$out" | awk '/^ *l+ / { print length($1), $2 }')" "511 3"

# exact at full speed; and without room for all of them
d -qn "$at { @[copyinstr(arg0)] = count(); }" -o "$TMP/many" -c "$TARGETS/calltexts 200000 1000"
ends 0 "a thousand names"
like "a thousand names" "$err" ""
is "a thousand names" "$(awk '/nowhere/ { n++; bad += $2 != 200 } END { print n, bad + 0 }' "$TMP/many")" "1000 0"
d -x aggsize=16k -qn "$at { @[copyinstr(arg0)] = count(); }" -o "$TMP/few" -c "$TARGETS/calltexts 20000 1000"
ends 0 "without room"
lost=$(echo "$err" | sed -n 's/.*: \([0-9]*\) aggregation drops.*/\1/p' | awk '{ n += $1 } END { print n + 0 }')
[ "$lost" -gt 0 ] || fail "without room: nothing was dropped: $err"
is "without room" "$(awk -v lost="$lost" '/nowhere/ { n += $2 } END { print n + lost }' "$TMP/few")" 20000

# what would be done twice, or needs what the kernel keeps, makes records, and is told
for p in "$at { @a = count(); @[copyinstr(arg0)] = count(); }" "$at { self->n = arg1; @[copyinstr(arg0), self->n] = count(); }" \
	"$at { @[copyinstr(arg0)] = count(); } $at { @b[arg1] = count(); }"; do
	d -x explain -qn "$p" -o /dev/null -c "$TARGETS/calltexts 5"
	ends 0 "$p"
	like "$p" "$err" "*makes records: copyinstr() behind what is counted, *"
done
finish
