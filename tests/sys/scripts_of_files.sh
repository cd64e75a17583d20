# Scripts of dscripts/bin that tell of files and settings: fileio.d, filedel.d, regwatch.d.
# needs: root
# timeout: 120
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
PATH=$(dirname "$DTRACE"):$PATH
export DTRACE PATH
file=$(realpath "$TMP")/written$$

# runs COMMAND...: its output is in $out
runs() {
	out=$("$@" 2>"$TMP/err" </dev/null) || fail "$*: status $?: $(cat "$TMP/err")"
}

runs dscripts/bin/fileio.d -c "dd if=/dev/zero of=$file bs=1000 count=37 status=none" dd
is "fileio.d" "$(echo "$out" | awk -v file="$file" '$4 == file { print $1, $2, $3 }')" "dd 37 37000"

runs dscripts/bin/filedel.d -c "sh -c 'rm $file; rm $file 2>/dev/null; :'" rm
is "filedel.d" "$(echo "$out" | awk -v file="$file" '$NF == file { print $(NF - 2), $(NF - 1) }' | head -1)" "rm 0"

key=/proc/sys/vm/swappiness
if [ -w $key ]; then
	value=$(cat $key)
	runs dscripts/bin/regwatch.d -c "sh -c 'echo $value >$key'"
	like "regwatch.d" "$out" "*0 vm.swappiness: *> $value*"
fi
finish
