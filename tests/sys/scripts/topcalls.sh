# trunc() of both ends by $1, or by the number that stands for it.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
file_work
for n in '' 3; do
	# shellcheck disable=SC2086
	script topcalls -c "$work" $n
	is "lines of the top" "$(echo "$out" | grep -c ^top)" "${n:-5}"
	is "lines of the low" "$(echo "$out" | grep -c ^low)" "${n:-5}"
	is "getppid is at the top" "$(cell top getppid)" "$(said ppid)"
	is "getppid is not low" "$(cell low getppid)" 0
	is "order" "$(echo "$out" | awk '/^top/ { print $3 }')" "$(echo "$out" | awk '/^top/ { print $3 }' | sort -n)"
done
finish
