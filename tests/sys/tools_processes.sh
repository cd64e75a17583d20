# Tools about system calls, files, signals and time of a program, as an ordinary user, against strace and the program's own counts.
# needs: user
. tests/lib/lib.sh
need strace perl

tool() { # tool NAME ARGS...: what it prints is in $TMP/out
	d --tool "$@"
	ends 0 "$*"
	is "$*: errors" "$err" ""
}
strace -o "$TMP/none" true 2>/dev/null || skip "strace may not trace here"

cat >"$TMP/work.pl" <<'END'
sysopen(F, "/nonexistent/$_", 0) for 1 .. 7;
sysopen(F, "/", 1) for 1 .. 3;
open(F, "<", "/etc/passwd") for 1 .. 5;
stat("/nonexistent/$_") for 1 .. 4;
syscall(110) for 1 .. 300;
kill(0, $$) for 1 .. 6;
select(undef, undef, undef, 0.05) for 1 .. 2;
END
strace -c -o "$TMP/counts" perl "$TMP/work.pl"
# calls NAME, errors NAME: as strace counts them
calls() {
	awk -v name="$1" '$NF == name { print $4 }' "$TMP/counts"
}
errors() {
	awk -v name="$1" '$NF == name { print (NF > 5 ? $5 : 0) }' "$TMP/counts"
}
tool syscount -- perl "$TMP/work.pl"
for name in getppid openat kill; do
	is "syscount: $name" "$(awk -v name=$name '$1 == name { print $2 }' "$TMP/out")" "$(calls $name)"
done
tool syscount -e -- perl "$TMP/work.pl"
is "syscount -e" "$(awk '$1 == "openat" { print $2 }' "$TMP/out")" "$(errors openat)"
tool syscount -L -- perl "$TMP/work.pl"
is "syscount -L" "$(awk '$1 == "getppid" { print $2 }' "$TMP/out")" "$(calls getppid)"
tool syscount -P -- perl "$TMP/work.pl"
like "syscount -P" "$out" "* perl *"
tool errinfo -- perl "$TMP/work.pl"
is "errinfo" "$(awk '$1 == "perl" && $2 == "openat" { n += $4 } END { print n }' "$TMP/out")" "$(errors openat)"
is "errinfo: EISDIR" "$(awk '$1 == "perl" && $2 == "openat" && $3 == 21 { print $4 }' "$TMP/out")" 3

strace -f -o "$TMP/opens" -e trace=open,openat,openat2,creat sh -c "perl $TMP/work.pl; cat /etc/passwd >/dev/null"
tool opensnoop -- sh -c "perl $TMP/work.pl; cat /etc/passwd >/dev/null"
is "opensnoop: all" "$(grep -c '^[0-9]' "$TMP/out")" "$(grep -c ' = ' "$TMP/opens")"
is "opensnoop: ENOENT" "$(grep -c '^[0-9]* *perl *-1 *2 /nonexistent/[1-7]$' "$TMP/out")" 7
is "opensnoop: of the children" "$(grep -c ' cat .* /etc/passwd$' "$TMP/out")" 1
tool opensnoop -f -n perl -- sh -c "perl $TMP/work.pl; cat /etc/passwd >/dev/null"
is "opensnoop -f -n" "$(grep -c '^[0-9]' "$TMP/out")" "$(errors openat)"
tool statsnoop -- perl "$TMP/work.pl"
is "statsnoop" "$(grep -c 'perl .* 2 /nonexistent/[1-4]$' "$TMP/out")" 4
tool killsnoop -- perl "$TMP/work.pl"
is "killsnoop" "$(awk '$2 == "perl" && $3 == 0 && $1 == $4 && $5 == 0' "$TMP/out" | wc -l)" 6
tool syscallslow -m 49 -- perl "$TMP/work.pl"
is "syscallslow" "$(grep -c '^perl .*select' "$TMP/out")" 2
tool syscallslow -m 49 syscall:getppid -- perl "$TMP/work.pl"
is "syscallslow of one" "$(wc -l <"$TMP/out")" 2

# Files and programs that read and write, as strace saw their calls.
strace -f -y -o "$TMP/io" -e trace=read,pread64,readv,preadv,preadv2,write,pwrite64,writev,pwritev,pwritev2 \
	sh -c "dd if=/dev/zero of=$TMP/data bs=1000 count=7 2>/dev/null; cat $TMP/data >/dev/null"
# column N PROGRAM FILE
column() {
	awk -v at="$1" -v program="$2" -v file="$3" '$2 == program && $8 == file { print $at }' "$TMP/out"
}
tool filetop -- sh -c "dd if=/dev/zero of=$TMP/data bs=1000 count=7 2>/dev/null; cat $TMP/data >/dev/null"
is "filetop: written" "$(column 3 dd "$TMP/data") $(column 5 dd "$TMP/data") $(column 7 dd "$TMP/data")" "7000 7 7000"
is "filetop: read" "$(column 3 cat "$TMP/data") $(column 6 cat "$TMP/data")" "7000 7000"
is "filetop: reads" "$(column 4 cat "$TMP/data")" "$(grep -c "read([0-9]*<$TMP/data>" "$TMP/io")"
tool filetop -t 1 -- sh -c "dd if=/dev/zero of=$TMP/data bs=1000 count=7 2>/dev/null; cat $TMP/data >/dev/null"
is "filetop -t" "$(grep -c '^ *[0-9]' "$TMP/out")" 1
tool filetop -a -- sh -c 'echo 12345 | cat >/dev/null'
is "filetop -a" "$(awk '$2 == "cat" && $8 ~ /^pipe:/ { print $6 }' "$TMP/out")" 6
tool rwtop -- sh -c "dd if=/dev/zero of=$TMP/data bs=1000 count=7 2>/dev/null; cat $TMP/data >/dev/null"
is "rwtop" "$(awk '$2 == "cat" { print $7 }' "$TMP/out")" 7000

strace -f -o "$TMP/syncs" -e trace=fsync,fdatasync,sync sh -c "sync $TMP/data; sync -d $TMP/data"
tool syncsnoop -- sh -c "sync $TMP/data; sync -d $TMP/data"
for call in fsync fdatasync; do
	is "syncsnoop: $call" "$(awk -v call=$call -v file="$TMP/data" '$3 == call && $6 == file' "$TMP/out" | wc -l)" "$(grep -c " $call([0-9]*) *= 0" "$TMP/syncs")"
done

tool naptime -m 40 -- "$TARGETS/toolwork" sleeps 3 50000
slept=$(awk '$1 == "slept" { print $2 }' "$TMP/out")
us=$(awk '$4 ~ /nanosleep/ { sub(/[.]/, "", $5); n += $5 } END { print n }' "$TMP/out")
is "naptime" "$(grep -c nanosleep "$TMP/out")" 3
[ "$us" -ge 150000 ] && [ "$us" -le "$slept" ] || fail "naptime: $us us, the program has slept $slept"
mkfifo "$TMP/slow"
tool fileslower -m 40 -- sh -c "(sleep 0.05; echo line) >$TMP/slow & cat $TMP/slow >/dev/null; cat $TMP/data >/dev/null"
is "fileslower" "$(awk -v file="$TMP/slow" '$2 == "cat" && $3 == "read" && $4 == 5 && $5 >= 40 && $6 == file' "$TMP/out" | wc -l)" 1

# The buckets of a program that computes hold its time on the CPU.
tool cpudist -- "$TARGETS/burn" 0.3
cpu=$(awk '$1 == "cpu" { print $2 * 1000 }' "$TMP/out")
awk -v cpu="$cpu" '$2 ~ /^[|]/ { low += $1 * $NF; high += 2 * $1 * $NF } END { exit !(low <= 2 * cpu && high >= cpu / 2) }' "$TMP/out" ||
	fail "cpudist: the program ran for $cpu us: $out $err"

# What a shell is told.
if command -v bash >/dev/null; then
	printf 'true one\ntrue two\n' >"$TMP/lines"
	"$DTRACE" --tool bashreadline -- bash --norc -i <"$TMP/lines" >"$TMP/out" 2>/dev/null
	is "bashreadline" "$(awk '$2 == "bash" { print $3, $4 }' "$TMP/out" | tr '\n' ' ')" "true one true two "
fi

tool profile -F 199 -s 3 -r "$TMP/p.folded" -- "$TARGETS/burn" 0.3
like "profile" "$out" "*burn\`*"
[ "$(awk '{ n += $NF } END { print n + 0 }' "$TMP/p.folded")" -gt 0 ] || fail "profile: no samples"
# Calls of dd, of which it makes as many as it is told: as lines, and summed up; the time of a sleep; sizes of memory.
dd="dd if=/dev/zero of=/dev/null bs=64 count=37 status=none"
# shellcheck disable=SC2086
tool rwsnoop -- $dd
is "rwsnoop" "$(awk '$3 == "dd" && $6 ~ "/dev/" { n[$4 " " $5 " " $6]++ } END { for (k in n) print k, n[k] }' "$TMP/out" | sort)" 'R 64 /dev/zero 37
W 64 /dev/null 37'
# shellcheck disable=SC2086
tool rwsnoop nosuch -- $dd
is "rwsnoop of another program" "$(grep -c /dev/ "$TMP/out")" 0
# shellcheck disable=SC2086
tool dtruss 'syscall:write' -- $dd
is "dtruss" "$(grep -c ' write(0x1, 0x[0-9a-f]*, 0x40) = 64$' "$TMP/out")" 37
tool dtruss -e 'syscall:openat' -- sh -c '! cat /nonexistent 2>/dev/null; exec cat /nonexistent 2>/dev/null'
like "dtruss, a path" "$out" '*.[0-9][0-9][0-9] *[0-9] openat(-100, "/nonexistent", 0) = -1 error 2*'
# shellcheck disable=SC2086
tool procsystime -C -- $dd
is "procsystime" "$(awk '$1 == "write" { print $3 }' "$TMP/out")" 37
tool procsystime -t 1 -- sleep 0.05
is "procsystime: the longest" "$(awk '$1 == "clock_nanosleep" { print ($2 >= 50000000) }' "$TMP/out")" 1
is "procsystime: one" "$(grep -c '[0-9]$' "$TMP/out")" 1
tool mallocsizes -U -s 2 -- "$TARGETS/toolwork" leaks 10 100
like "mallocsizes" "$out" "*toolwork\`leaky+*
 *64 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 10 *"
finish
