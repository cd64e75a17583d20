# Files that a program names are looked at before they are opened: a FIFO, a device, 2 TB of nothing,
# what unpacks without end. The run goes on, says what it left out, and is not held up.
# needs: user
. tests/lib/lib.sh
need gcc objcopy strip python3 timeout mkfifo

cat >"$TMP/p.c" <<'END'
struct shared { int first, second; };
#if defined(__clang__)
__attribute__((noinline))
#else
__attribute__((noipa))
#endif
static int secret(struct shared *s) { return s->second; }
int main(void) { struct shared s = {3, 4}; return secret(&s) != 4; }
END
build() { # build FILE FLAGS...
	to=$1
	shift
	(cd "$TMP" && gcc -O1 -g "$@" p.c -o "$to") || fail "cannot build"
}
build noid -Wl,--build-id=none
objcopy --only-keep-debug "$TMP/noid" "$TMP/noid.debug"
strip -o "$TMP/linked" "$TMP/noid"
(cd "$TMP" && objcopy --add-gnu-debuglink=noid.debug linked)

# says WHAT REASON PROGRAM: nothing is found of a function that only a debug file names
says() {
	"$DTRACE" -Zqn 'pid$target:a.out:secret:entry { trace("hit"); }' -c "$3" >"$TMP/out" 2>"$TMP/err" </dev/null &
	pid=$!
	(exec timeout 60 tail --pid=$pid -f /dev/null)
	kill -0 $pid 2>/dev/null && kill -9 $pid && fail "$1: it hangs"
	wait $pid
	is "$1: status" "$?" 0
	is "$1: output" "$(cat "$TMP/out")" ""
	like "$1: reason" "$(cat "$TMP/err")" "*$3: the debug file *$2*"
}

d -qn 'pid$target:a.out:secret:entry { printf("%d", args[0]->second); }' -c "$TMP/linked"
is "as it should be" "$out" 4

mv "$TMP/noid.debug" "$TMP/kept"
mkfifo "$TMP/noid.debug"
says "a FIFO" "is not a regular file" "$TMP/linked"
rm "$TMP/noid.debug"
python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$TMP/noid.debug"
says "a socket" "is not a regular file" "$TMP/linked"
rm "$TMP/noid.debug"
ln -s /dev/zero "$TMP/noid.debug"
says "a device" "is not a regular file" "$TMP/linked"
rm "$TMP/noid.debug"
ln -s /proc/self/fd/0 "$TMP/noid.debug"
says "a descriptor" "through one of /proc" "$TMP/linked"
rm "$TMP/noid.debug"
cp "$TMP/kept" "$TMP/noid.debug"
if truncate -s 2T "$TMP/noid.debug" 2>/dev/null; then
	says "two terabytes of nothing" "claims a size" "$TMP/linked"
fi
rm "$TMP/noid.debug"

# .gnu_debugdata: 3 GB of zeros in half a megabyte
if command -v xz >/dev/null; then
	build plain -Wl,--build-id=none
	strip "$TMP/plain"
	head -c 3G /dev/zero | xz -0 >"$TMP/bomb.xz"
	objcopy --add-section .gnu_debugdata="$TMP/bomb.xz" "$TMP/plain" "$TMP/bomb"
	says "xz without end" "damaged, or has more than 256 MiB" "$TMP/bomb"
fi

# packed sections: what the header promises, against what there is
cat >"$TMP/lie.py" <<'END'
import struct, sys, zlib
# lie.py FILE SECTION HOW: rewrites a packed section's header or bytes
path, wanted, how = sys.argv[1:]
b = bytearray(open(path, 'rb').read())
shoff, = struct.unpack_from('<Q', b, 0x28)
shnum, shstr = struct.unpack_from('<HH', b, 0x3c)
def header(i): return struct.unpack_from('<IIQQQQIIQQ', b, shoff + 64 * i)
names = header(shstr)[4]
for i in range(shnum):
    h = header(i)
    end = b.index(0, names + h[0])
    if b[names + h[0]:end].decode() != wanted:
        continue
    off, size = h[4], h[5]
    if how == 'huge':
        struct.pack_into('<Q', b, off + 8, 1 << 46)
    elif how == 'short':
        struct.pack_into('<Q', b, off + 8, 16)
    elif how == 'long':
        struct.pack_into('<Q', b, off + 8, struct.unpack_from('<Q', b, off + 8)[0] + 1)
    elif how == 'kind':
        struct.pack_into('<I', b, off, 77)
    elif how == 'bomb': # at the end of the file, where there is room
        packed = zlib.compress(bytes(1 << 30))
        b += bytes(-len(b) % 8)
        struct.pack_into('<QQ', b, shoff + 64 * i + 24, len(b), 24 + len(packed))
        b += struct.pack('<IIQQ', 1, 0, 1 << 30, 1) + packed
    elif how == 'unterminated':
        is_packed = h[2] & 0x800
        text = bytearray(zlib.decompress(bytes(b[off + 24:off + size])) if is_packed else b[off:off + size])
        while text and not text[-1]: text.pop()
        packed = zlib.compress(bytes(text))
        b += bytes(-len(b) % 8)
        struct.pack_into('<QQQQ', b, shoff + 64 * i + 8, 0x800, 0, len(b), 24 + len(packed))
        b += struct.pack('<IIQQ', 1, 0, len(text), 1) + packed
    elif how == 'twice':
        off, size = header(shstr)[4:6]
        struct.pack_into('<QQQ', b, shoff + 64 * i + 8, 0, h[3], 0)
        struct.pack_into('<Q', b, shoff + 64 * i + 32, len(b))
    open(path, 'wb').write(b)
    sys.exit()
sys.exit('no section ' + wanted)
END
build packed -gdwarf-5 -gz
lies() { # lies SECTION HOW REASON
	cp "$TMP/packed" "$TMP/lying"
	python3 "$TMP/lie.py" "$TMP/lying" "$1" "$2" || fail "$1 $2: cannot be made"
	([ -n "$SAN" ] || ulimit -v 3000000 && exec timeout 60 "$DTRACE" -qn 'pid$target:a.out:secret:entry { printf("%d", args[0]->second); }' \
		-c "$TMP/lying") >"$TMP/out" 2>"$TMP/err" </dev/null
	status=$?
	[ $status = 1 ] || fail "$1 $2: status $status"
	like "$1 $2" "$(cat "$TMP/err")" "*its debug information is not read: $1 $3*"
}
readelf -SW "$TMP/packed" | grep -q '\.debug_info .* C ' || skip "gcc packs no sections"
lies .debug_info huge "claims to be far larger"
lies .debug_info bomb "claims to be far larger"
lies .debug_info short "is not what its header says"
lies .debug_info long "is not what its header says"
lies .debug_info kind "is packed in a way that is not known"
lies .debug_info twice "is in the file more than once"
cp "$TMP/packed" "$TMP/lying"
python3 "$TMP/lie.py" "$TMP/lying" .debug_str unterminated
d -qn 'pid$target:a.out:secret:entry { printf("%d", args[0]->second); }' -c "$TMP/lying"
is "texts that do not end" "$out" 4

# a unit beside the program that is something else
build split -gdwarf-5 -gsplit-dwarf
dwo=$(cd "$TMP" && ls ./*.dwo)
if [ -n "$dwo" ]; then
	mv "$TMP/$dwo" "$TMP/kept.dwo"
	mkfifo "$TMP/$dwo"
	d -qn 'pid$target:a.out:secret:entry { printf("%d", args[0]->second); }' -c "$TMP/split"
	ends 1 "a FIFO for a split unit"
	like "a FIFO for a split unit" "$err" "*.dwo is not read: it is not a regular file*"
	rm "$TMP/$dwo"
	mv "$TMP/kept.dwo" "$TMP/$dwo"
	d -qn 'pid$target:a.out:secret:entry { printf("%d", args[0]->second); }' -c "$TMP/split"
	is "the split unit" "$out" 4
	mkfifo "$TMP/split.dwp"
	d -qn 'pid$target:a.out:secret:entry { printf("%d", args[0]->second); }' -c "$TMP/split"
	is "a FIFO for a package" "$out" 4
	like "a FIFO for a package" "$err" "*split.dwp is not read: it is not a regular file*"
fi
finish
