# System calls of a program by name: its own number, and what strace -c counts where there is one.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
file_work
script countcalls -c "$work"
is "getppid" "$(cell getppid)" "$(said ppid)"
is "lseek at least" "$([ "$(cell lseek)" -ge "$(said seeks)" ] && echo yes)" yes
is "the sum" "$(cell TOTAL)" "$(echo "$out" | awk 'NF == 2 && $2 ~ /^[0-9]+$/ && $1 != "TOTAL" { n += $2 } END { print n }')"
command -v strace >/dev/null 2>&1 && {
	# shellcheck disable=SC2086
	strace -qq -c -o "$TMP/strace" $work >/dev/null
	for call in getppid kill write; do
		is "$call as strace counts it" "$(cell $call)" "$(awk -v c=$call '$NF == c { print $4 }' "$TMP/strace")"
	done
}
finish
