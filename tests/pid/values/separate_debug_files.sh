# Symbols of a stripped program come from its debug file: by build-id, by .gnu_debuglink, from
# .gnu_debugdata, from debuginfod; never from that of another build.
# needs: user
. tests/lib/lib.sh
need gcc objcopy strip

says() { # says FILE: waits until something stands in it
	tries=0
	until [ -s "$1" ] || [ $tries -gt 300 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
}

build() { # build FILE FLAGS: a program with a function that only its symbol table names
	cat >"$TMP/p.c" <<-'END'
		static __attribute__((noinline)) int secret(int x) { __asm__ volatile(""); return x + 1; }
		int main(void) { int n = 0; for (int i = 0; i < 7; i++) n += secret(i); return n == 0; }
	END
	gcc -O1 -g "$TMP/p.c" -o "$1" $2 || fail "cannot build"
}

hits() { # hits WHAT EXPECTED PROGRAM OPTIONS...
	what=$1 expected=$2 program=$3
	shift 3
	d "$@" -Zqn 'pid$target:a.out:secret:entry { @[ufunc(uregs[R_PC])] = count(); }' -c "$program"
	is "$what" "$(echo $out)" "${expected:+${program##*/}\`secret $expected}"
}

build "$TMP/p" -Wl,--build-id
objcopy --only-keep-debug "$TMP/p" "$TMP/p.debug"
id=$(readelf -n "$TMP/p" | sed -n 's/.*Build ID: //p')
strip -o "$TMP/s" "$TMP/p"
hits "no debug file" "" "$TMP/s"

dir=$TMP/dbg/.build-id/$(echo "$id" | cut -c1-2)
mkdir -p "$dir"
cp "$TMP/p.debug" "$dir/$(echo "$id" | cut -c3-).debug"
hits "by build-id" 7 "$TMP/s" -y "$TMP/dbg"
build "$TMP/other" "-Wl,--build-id=0x0123456789 -DOTHER"
objcopy --only-keep-debug "$TMP/other" "$dir/$(echo "$id" | cut -c3-).debug"
hits "another build's file" "" "$TMP/s" -y "$TMP/dbg"

cp "$TMP/s" "$TMP/linked"
(cd "$TMP" && objcopy --add-gnu-debuglink=p.debug linked)
hits "by debug link" 7 "$TMP/linked"
mkdir "$TMP/.debug" && mv "$TMP/p.debug" "$TMP/.debug/"
hits "in .debug" 7 "$TMP/linked"
cp "$dir"/*.debug "$TMP/.debug/p.debug"
hits "a link to another build" "" "$TMP/linked"
rm -r "$TMP/.debug"

build "$TMP/noid" -Wl,--build-id=none
objcopy --only-keep-debug "$TMP/noid" "$TMP/noid.debug"
strip "$TMP/noid"
(cd "$TMP" && objcopy --add-gnu-debuglink=noid.debug noid)
hits "no build-id, right checksum" 7 "$TMP/noid"
printf x >>"$TMP/noid.debug"
hits "no build-id, wrong checksum" "" "$TMP/noid"

if command -v xz >/dev/null 2>&1; then
	objcopy -S --keep-symbol=secret "$TMP/p" "$TMP/mini" 2>/dev/null
	objcopy --only-keep-debug "$TMP/p" "$TMP/mini" && objcopy -g "$TMP/mini"
	xz -c "$TMP/mini" >"$TMP/mini.xz"
	objcopy --add-section .gnu_debugdata="$TMP/mini.xz" "$TMP/s" "$TMP/s2"
	hits "from .gnu_debugdata" 7 "$TMP/s2"
	head -c 100 "$TMP/mini.xz" >"$TMP/cut.xz"
	objcopy --add-section .gnu_debugdata="$TMP/cut.xz" "$TMP/s" "$TMP/s3"
	hits "a damaged one" "" "$TMP/s3"
fi

# no section table at all: exported names by way of the dynamic section
echo 'int shown(int x) { __asm__ volatile(""); return x; }
int main(void) { for (int i = 0; i < 7; i++) shown(i); return 0; }' >"$TMP/d.c"
gcc -O1 -fno-inline -rdynamic "$TMP/d.c" -o "$TMP/d" && strip "$TMP/d"
python3 - "$TMP/d" <<'END'
import sys
f = open(sys.argv[1], "r+b")
f.seek(40); f.write(bytes(8))      # e_shoff
f.seek(58); f.write(bytes(6))      # e_shentsize, e_shnum, e_shstrndx
END
d -qn 'pid$target:a.out:shown:entry { @ = count(); }' -c "$TMP/d"
is "no section table" "$(echo $out)" 7

# a server of our own, where the library and python3 are
ldconfig -p 2>/dev/null | grep -q libdebuginfod.so.1 || finish
mkdir -p "$TMP/srv/buildid/$id"
objcopy --only-keep-debug "$TMP/p" "$TMP/srv/buildid/$id/debuginfo"
python3 -u - "$TMP/srv" >"$TMP/port" 2>/dev/null <<'END' &
import http.server, functools, sys
h = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), h)
print(s.server_port)
s.serve_forever()
END
server=$!
trap 'kill $server' EXIT
says "$TMP/port"
export DEBUGINFOD_CACHE_PATH="$TMP/cache"
hits "from debuginfod" 7 "$TMP/s" -y "http://127.0.0.1:$(cat "$TMP/port")"
rm -rf "$TMP/cache"
export DEBUGINFOD_URLS="http://127.0.0.1:$(cat "$TMP/port")"
hits "by the environment" 7 "$TMP/s"

# one that accepts and says nothing is asked once by each half of the command
python3 -u - >"$TMP/silent" 2>/dev/null <<'END' &
import socket
s = socket.create_server(("127.0.0.1", 0))
print(s.getsockname()[1])
asked = []
while True:
    asked.append(s.accept())
    print("asked")
END
silent=$!
trap 'kill $server $silent' EXIT
says "$TMP/silent"
rm -rf "$TMP/cache"
export DEBUGINFOD_URLS="http://127.0.0.1:$(head -1 "$TMP/silent")" DEBUGINFOD_TIMEOUT=1
d -qn 'pid$target:libc.so.6:exit:entry { ustack(); }' -c "$TMP/s"
like "with a silent server" "$out" '*libc.so.6`exit*'
asked=$(grep -c asked "$TMP/silent")
[ "$asked" -ge 1 ] && [ "$asked" -le 2 ] || fail "a silent server was asked $asked times"
finish
