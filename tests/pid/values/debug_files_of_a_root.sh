# The debug files of a process with a root of its own are those that it has there, whatever links lead
# out of it; then those that we have.
# needs: root
. tests/lib/lib.sh
need gcc objcopy strip chroot

cat >"$TMP/p.c" <<'EOF'
#include <unistd.h>
static __attribute__((noinline)) int secret(int x) { __asm__ volatile(""); return x + 1; }
int main(void) { int n = 0; char c; while (read(0, &c, 1) == 1) n += secret(c); return n == 0; }
EOF
root=$TMP/root
mkdir -p "$root/bin" "$root/usr/lib/debug" "$TMP/dbg"
gcc -O1 -g -static -Wl,--build-id "$TMP/p.c" -o "$TMP/p" || skip "no static C library"
objcopy --only-keep-debug "$TMP/p" "$TMP/p.debug"
strip -o "$root/bin/p" "$TMP/p"
(cd "$TMP" && objcopy --add-gnu-debuglink=p.debug "$root/bin/p")

traced() { # traced WHAT EXPECTED OPTIONS...: -p, while the program waits
	what=$1 expected=$2
	shift 2
	mkfifo "$TMP/in"
	: >"$TMP/out" # what was said before is not meant
	chroot "$root" /bin/p <"$TMP/in" &
	pid=$!
	exec 9>"$TMP/in"
	until [ "$(readlink "/proc/$pid/exe")" = "$root/bin/p" ]; do :; done
	"$DTRACE" "$@" -Zqn 'BEGIN { printf("ready\n"); } pid$target:p:secret:entry { @[ufunc(uregs[R_PC])] = count(); }' -p $pid \
		>"$TMP/out" 2>"$TMP/err" </dev/null 9>&- &
	tracer=$!
	until_said "$TMP/out" ready $tracer || fail "$what: $(cat "$TMP/err")"
	printf '1234567' >&9
	exec 9>&-
	wait $tracer $pid
	rm "$TMP/in"
	is "$what" "$(echo $(grep -v ready "$TMP/out"))" "${expected:+p\`secret $expected}"
}

traced "none" ""
cp "$TMP/p.debug" "$root/usr/lib/debug/real"
ln -s /usr/lib/debug/real "$root/bin/p.debug" # that of its root, not of ours
traced "in the root, by an absolute link" 7
ln -sf "../../../../../../../../../../..$TMP/p.debug" "$root/bin/p.debug"
traced "a link out of the root" ""
rm "$root/bin/p.debug"
id=$(readelf -n "$TMP/p" | sed -n 's/.*Build ID: //p')
mkdir -p "$TMP/dbg/.build-id/$(echo "$id" | cut -c1-2)"
cp "$TMP/p.debug" "$TMP/dbg/.build-id/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-).debug"
traced "in our debug directory" 7 -y "$TMP/dbg"
finish
