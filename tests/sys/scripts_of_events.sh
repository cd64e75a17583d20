# Scripts of dscripts/bin: what is run from a shell, an event of one's own, slabs that are not given back.
# needs: root
# timeout: 120
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
PATH=$(dirname "$DTRACE"):$PATH
export DTRACE PATH

# runs COMMAND...: its output is in $out
runs() {
	out=$("$@" 2>"$TMP/err" </dev/null) || fail "$*: status $?: $(cat "$TMP/err")"
}

name=run$$ # a name that nobody else has
cp /bin/true "$TMP/$name"
if command -v bash >/dev/null; then
	printf 'echo %s of mine\n%s/%s first second\nexit\n' "$name" "$TMP" "$name" >"$TMP/typed"
	"$DTRACE" -o "$TMP/typed.out" -Zs dscripts/bin/shellcmds.d -c "bash --norc -i" <"$TMP/typed" >"$TMP/said" 2>&1 || fail "shellcmds.d: $(cat "$TMP/said")"
	is "shellcmds.d: typed" "$(sed -n 's/.* typed //p' "$TMP/typed.out")" "echo $name of mine
$TMP/$name first second
exit"
	is "shellcmds.d: run" "$(sed -n 's/.* runs  //p' "$TMP/typed.out" | grep "$name")" "$TMP/$name first second"
fi

if [ -w /sys/kernel/tracing/trace_marker ]; then
	runs dscripts/bin/ownevent.d -c "sh -c '/none/$name; $TMP/$name; :'"
	is "ownevent.d: told" "$(echo "$out" | grep -c "told: sh /none/$name")" 1
	is "ownevent.d: in the trace of the kernel" "$(grep -c "exec-failure: .* errno=2 comm=sh path=/none/$name" /sys/kernel/tracing/trace)" 1
	is "ownevent.d: of what could be run" "$(grep -c "path=$TMP/$name" /sys/kernel/tracing/trace)" 0
fi

cat >"$TMP/holds.c" <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	int fds[600];

	for (int i = 0; i < 600; i++)
		fds[i] = open("/dev/null", O_RDONLY);
	for (int i = 0; i < 100; i++)
		close(fds[i]);
	printf("held\n");
	fflush(stdout);
	return getchar() == EOF;
}
END
need gcc
gcc -O0 -o "$TMP/$name" "$TMP/holds.c" || fail "no program"
mkfifo "$TMP/fifo"
for try in 1 2 3 4 5; do
	rm -f "$TMP/slabs" "$TMP/held"
	touch "$TMP/slabs" "$TMP/held"
	"$DTRACE" -s dscripts/bin/slableaks.d "$name" >"$TMP/slabs" 2>"$TMP/err" </dev/null &
	tracer=$!
	until grep -q Tracing "$TMP/slabs"; do kill -0 $tracer || fail "slableaks.d: $(cat "$TMP/err")"; done
	"$TMP/$name" <"$TMP/fifo" >"$TMP/held" &
	holds=$!
	exec 8>"$TMP/fifo"
	until grep -q held "$TMP/held"; do kill -0 $holds || fail "no files"; done
	kill -INT $tracer
	wait $tracer || fail "slableaks.d: status $?: $(cat "$TMP/err")"
	echo >&8
	exec 8>&-
	wait $holds
	grep -q 'drops' "$TMP/err" || break # the frees of the whole machine come; some may be lost, and that is said
done
n=$(awk '$1 ~ /alloc_empty_file/ { asked += $2; left += $3 } END { print asked, left }' "$TMP/slabs")
if grep -q drops "$TMP/err"; then
	[ "${n% *}" -gt 0 ] || fail "slableaks.d: $n"
else
	left=${n#* } asked=${n% *}
	# its standard streams are of others; its libraries were mapped from files that are closed
	[ "$left" -ge 500 ] && [ "$left" -le 520 ] && [ $((asked - left)) -ge 100 ] || fail "slableaks.d: $n"
fi
like "slableaks.d: stacks" "$(cat "$TMP/slabs")" "*bytes asked for from*vmlinux\`*"
finish
