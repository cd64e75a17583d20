# Scripts of dscripts/bin that tell of one program: their numbers are its own.
# needs: root
# timeout: 120
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
need gcc
PATH=$(dirname "$DTRACE"):$PATH
export DTRACE PATH

# runs COMMAND...: its output is in $out
runs() {
	out=$("$@" 2>"$TMP/err" </dev/null) || fail "$*: status $?: $(cat "$TMP/err")"
}
# whole ARGS...: the same, until nothing is lost, as rings are of a fixed size and a busy machine is late; 5 times
whole() {
	for try in 1 2 3 4 5; do
		runs "$@"
		case $(cat "$TMP/err") in *drop*) ;; *) return ;; esac
	done
	skip "events were lost in $try runs: $(tail -n 1 "$TMP/err")"
}
bin=dscripts/bin

name=born$$ # a name that nobody else has
cp /bin/true "$TMP/$name"
runs $bin/proclatency.d -c "sh -c 'for i in 1 2 3 4 5 6 7; do $TMP/$name; done; echo'"
is "proclatency.d" "$(echo "$out" | awk -v name="$name" 'NF == 1 { on = $1 == name } on && /\|/ { n += $NF } END { print n }')" 7

cat >"$TMP/heap.c" <<'END'
#include <stdio.h>
#include <stdlib.h>

static char *blocks[1000];

int main(void)
{
	for (int i = 0; i < 1000; i++)
		blocks[i] = malloc(50000 + i);
	for (int i = 0; i < 900; i++)
		free(blocks[i]);
	return 0;
}
END
gcc -O0 -o "$TMP/heap" "$TMP/heap.c" || fail "no program"
runs $bin/heapbalance.d -c "$TMP/heap"
is "heapbalance.d: allocated" "$(echo "$out" | awk '$1 == "allocated" { print $2, $3 }')" "1000 50499500"
is "heapbalance.d: freed" "$(echo "$out" | awk '$1 == "freed" { print $2, $3 }')" "900 45404550"
is "heapbalance.d: left" "$(echo "$out" | awk '$2 == "heap`main" { print $1 }')" $((50499500 - 45404550))
like "heapbalance.d: by whom" "$out" "*heap\`main*
*45404550*"

cat >"$TMP/files.c" <<'END'
#include <fcntl.h>
#include <unistd.h>

int main(void)
{
	for (int i = 0; i < 300; i++)
		close(open("/dev/null", O_RDONLY));
	return 0;
}
END
gcc -O0 -o "$TMP/files" "$TMP/files.c" || fail "no program"
whole $bin/slabs.d -c "$TMP/files"
n=$(echo "$out" | awk '$1 == "allocated" && $3 == "calls" { print $2 }')
[ "${n:-0}" -ge 300 ] || fail "slabs.d: 300 files were opened: $out"
n=$(echo "$out" | awk '$1 ~ /alloc_empty_file/ { n += $2 } END { print n + 0 }')
[ "$n" -ge $((300 * 160)) ] && [ "$n" -le $((400 * 512)) ] || fail "slabs.d: memory of 300 files: $out"

cd "$TMP" || exit 1
runs "$OLDPWD/$bin/errdump.d" -c 'cat /nonexistent' ENOENT
core=$(echo "$out" | sed -n 's/.* has failed with error 2: \(core\.[0-9.]*\).*/\1/p')
like "errdump.d" "$(readelf -h "$core" 2>&1)" "*CORE (Core file)*"
cd "$OLDPWD" || exit 1

runs $bin/lookups.d -c 'getent ahosts localhost'
like "lookups.d" "$out" "*PROGRAM*NAME*MICROSECONDS*RESULT*getent *localhost * 0*"
# by gethostbyname2()
runs $bin/lookups.d -c 'getent hosts localhost'
like "lookups.d: gethostbyname2" "$out" "*getent *localhost * 0*"

cat >"$TMP/grow.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
	char line[256];
	FILE *f;

	memset(malloc(64 << 20), 1, 64 << 20);
	f = fopen("/proc/self/status", "r");
	while (fgets(line, sizeof(line), f))
		if (strncmp(line, "RssAnon:", 8) == 0)
			fprintf(stderr, "%s", line);
	return 0;
}
END
gcc -O0 -o "$TMP/grow" "$TMP/grow.c" || fail "no program"
runs $bin/memuse.d -c "$TMP/grow"
said=$(awk '$1 == "RssAnon:" { print $2 }' "$TMP/err")
most=$(echo "$out" | awk '$1 == "most" && $2 == "anonymous:" { print $3 }')
[ "${most:-0}" -ge $((said - 1024)) ] && [ "$most" -le $((said + 1024)) ] || fail "memuse.d: $said kB, told: $out"

# a connection of ours, 10 answers of 1,000 bytes
if command -v python3 >/dev/null 2>&1; then
	cat >"$TMP/talk.py" <<'END'
import os, signal, socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen(1)
if os.fork() == 0:
    c = socket.create_connection(s.getsockname())
    while c.recv(65536):
        pass
    os._exit(0)
c, _ = s.accept()
for i in range(10):
    c.send(b"x" * 1000)
c.close()
os.wait()
signal.pause()
END
	"$DTRACE" -x aggrate=100ms -o "$TMP/talked" -s $bin/nettop.d -c "python3 $TMP/talk.py" 1 1 2>"$TMP/err" ||
		fail "nettop.d: $(cat "$TMP/err")"
	is "nettop.d: sent" "$(awk '$1 ~ /python3/ && $NF == "sent" { n += $(NF - 1) } END { print n }' "$TMP/talked")" 10000
	is "nettop.d: received" "$(awk '$1 ~ /python3/ && $NF == "received" { n += $(NF - 1) } END { print n }' "$TMP/talked")" 10000
fi
finish
