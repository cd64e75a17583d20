# Recordings that say of themselves what is not so: nothing follows it out of the record or the file, nothing acts on the
# terminal, and what is still good is processed.
# timeout: 240
. tests/lib/lib.sh
need python3

mkdir "$TMP/lies" && python3 tests/tools/perflies.py "$TMP/lies" || fail "no recordings"
cat >"$TMP/all.d" <<'END_D'
syscall:::entry, linux-raw_syscalls:::sys_enter { n++; @a[probefunc, arg0] = count(); }
linux-demo:::message { @t[args[0]->number] = count(); this->text = strlen(stringof(args[0]->text)); }
linux-sched:::sched_switch { @s[strlen(args[0]->prev_comm)] = count(); }
profile-97 { @p[stack(), ustack(), usym(arg1)] = count(); }
proc:::, sched:::, tcp:::, pf:::, io::: { n++; }
END { printf("%d", n); }
END_D
runs() { # runs WHAT OPTIONS...: ends as it should, in a few seconds, and prints nothing that acts on a terminal
	what=$1
	shift
	timeout 60 "$DTRACE" "$@" >"$TMP/out" 2>"$TMP/err" </dev/null
	status=$?
	case $status in
	0 | 1) ;;
	*) fail "$what: status $status: $(head -3 "$TMP/err")" ;;
	esac
	if LC_ALL=C grep -q "$(printf '[\033\a]')" "$TMP/out" "$TMP/err"; then
		fail "$what acts on a terminal: $(cat -v "$TMP/out" "$TMP/err" | grep '\^' | head -2)"
	fi
	if grep -q 'Sanitizer\|runtime error' "$TMP/err"; then fail "$what: $(head -5 "$TMP/err")"; fi
}
n=0
for file in "$TMP/lies"/*; do
	n=$((n + 1))
	name=${file##*/}
	runs "$name" -qZE "$file" -s "$TMP/all.d"
	case $((n % 8)) in
	0) runs "$name: its lines" -qE "$file" ;;
	2) runs "$name: its probes" -lE "$file" -n 'linux-*:::, syscall:::' ;;
	4) runs "$name: strict" -x strict -qZE "$file" -n 'syscall:::entry { n++; }' ;;
	6) runs "$name: a copy" -qE "$file" -o "$TMP/copy.data" && rm -f "$TMP/copy.data" ;;
	esac
done
[ "$n" -ge 150 ] || fail "$n recordings"

# what is good is processed; one sentence says what is not
reads() { # reads NAME CALLS TEXT
	d -qE "$TMP/lies/$1" -n 'syscall:::entry { n++; } END { printf("%d", n); }'
	is "$1" "$out" "$2"
	like "$1" "$err" "$3"
}
reads format_text_offset_65528 5 "dtrace: 3 drops on CPU 0"
reads format_like_a_list 5 "dtrace: 3 drops on CPU 0"
reads records_of_nothing 5 "dtrace: 3 drops on CPU 0"
reads time_of_all_numbers 12 "*time_of_all_numbers: * events came later than younger ones, the first at offset *"
d -qE "$TMP/lies/time_of_all_numbers" -n 'tick-10ms { n++; } END { printf("%d ticks", n); }'
is "times that are years apart" "$out $status" "4 ticks 1"
like "times that are years apart" "$err" "*nothing is recorded for more than a day, until 9223372036.854775808 s: ticks before that are left out*"
reads time_goes_back 5 "*time_goes_back: * events came later than younger ones, the first at offset *"
reads record_81_8 5 "*record_81_8: *at offset *: what comes before has been read*"
reads record_64_8 5 "*record_64_8: a HEADER_ATTR record has an impossible size at offset *: what comes before has been read*"
d -qE "$TMP/lies/mapping_of_escapes" -n 'profile-97 { ustack(); }'
ends 0 "a name that acts on terminals"
d -lE "$TMP/lies/format_odd_name" -n 'linux-demo:::'
like "a name that acts on terminals is listed" "$out" '*../../../etc/passwd\\x1b\[2J*'

# from other machines, or of other kinds
sed 's/x86_64\x00\x00\x00/aarch64\x00\x00/' "$TMP/lies/no_records" >"$TMP/arm.data"
d -qE "$TMP/arm.data" -n 'syscall:::entry { n++; }'
like "numbers of system calls of another machine" "$err" "*$TMP/arm.data was recorded on aarch64, where system calls have other numbers: linux-raw_syscalls:::sys_enter has these, *"
bits() { # bits FILE BIT: the feature is told to be there
	python3 -c 'import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
data[72 + int(sys.argv[2]) // 8] |= 1 << int(sys.argv[2]) % 8
open(sys.argv[3], "wb").write(data)' "$TMP/lies/no_records" "$1" "$TMP/bits.data"
}
bits 24
d -qE "$TMP/bits.data"
ends 1 "the head of a folder"
like "the head of a folder" "$err" "*$TMP/bits.data: it is the head of a recording of perf record --threads, whose records are in other files of its folder, and are not read: record without it"
bits 19
d -qE "$TMP/bits.data"
ends 1 "perf stat record"
like "perf stat record" "$err" "*$TMP/bits.data: perf stat record has made it: it has counts and no events: perf stat report -i $TMP/bits.data prints them"
finish
