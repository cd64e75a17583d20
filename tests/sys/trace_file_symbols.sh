# Programs that are not here any more: names from perf's cache of build-ids and from debuginfod, under the program's own name.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need perf gcc python3 objcopy
PERF_BUILDID_DIR=$TMP/debug
DEBUGINFOD_CACHE_PATH=$TMP/client
export PERF_BUILDID_DIR DEBUGINFOD_CACHE_PATH
unset DEBUGINFOD_URLS

cat >"$TMP/gone.c" <<'END'
__attribute__((noipa)) int burns(int n) { volatile int x = 0; for (int i = 0; i < n; i++) x += i; return x; }
__attribute__((noipa)) int outer(int n) { int r = burns(n); return r + 1; }
int main(void) { for (int i = 0; i < 60; i++) outer(1000000); return 0; }
END
gcc -O1 -Wl,--build-id -o "$TMP/gone" "$TMP/gone.c" || fail "no program"
perf record -q -F 2000 --call-graph dwarf -e cpu-clock -o "$TMP/gone.data" -- "$TMP/gone" >/dev/null 2>&1 || skip "perf record does not work here"
truth=$(perf script -i "$TMP/gone.data" -F ip,sym -G 2>/dev/null | awk '$2 == "burns"' | wc -l)
id=$(readelf -n "$TMP/gone" | awk '/Build ID/ { print $3 }')
mv "$TMP/gone" "$TMP/kept"
ask() {
	d -qE "$TMP/gone.data" -n 'profile-97 /arg1/ { @[ufunc(arg1)] = count(); } profile-97 /arg1/ { @s[ustack(3)] = count(); }' -Z
	functions=$(echo "$out" | awk '/`burns/ && NF == 2 { print $1, $2; exit }')
}

rm -rf "$PERF_BUILDID_DIR"
ask
like "without either" "$err" "*$TMP/gone: addresses have no names: it is not here*"
is "without either" "$functions" ""

perf --buildid-dir "$PERF_BUILDID_DIR" buildid-cache -a "$TMP/kept" 2>/dev/null || fail "no cache"
ask
is "perf's cache" "$functions" "gone\`burns $truth"
like "stacks by its tables" "$(echo "$out" | sed 's/+0x.*//' | tr -s ' \n' ' ')" '*gone`burns gone`outer gone`main *'
case $out$err in *'elf`'* | *'no names'*) fail "perf's cache: $out $err" ;; esac

# the same from a server, which has the program by its build-id
rm -rf "$PERF_BUILDID_DIR"
cat >"$TMP/server.py" <<'END'
import http.server, os, sys
class Server(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        print(self.path, file=sys.stderr, flush=True)
        if self.path != f"/buildid/{sys.argv[1]}/executable":
            self.send_error(404)
            return
        data = open(sys.argv[2], "rb").read()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
    def log_message(self, *args):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Server)
with open(sys.argv[3] + ".new", "w") as f:
    print(server.server_address[1], file=f)
os.rename(sys.argv[3] + ".new", sys.argv[3])
server.serve_forever()
END
python3 "$TMP/server.py" "$id" "$TMP/kept" "$TMP/port" 2>"$TMP/asked" &
server=$!
until [ -s "$TMP/port" ] || ! kill -0 $server 2>/dev/null; do sleep 0.02; done
DEBUGINFOD_URLS=http://127.0.0.1:$(cat "$TMP/port")
export DEBUGINFOD_URLS
if ldconfig -p | grep -q libdebuginfod.so.1; then
	ask
	is "debuginfod" "$functions" "gone\`burns $truth"
	case $out in *'executable`'*) fail "debuginfod: $out" ;; esac
	grep -q "/buildid/$id/executable" "$TMP/asked" || fail "nobody asked: $(cat "$TMP/asked")"
	# a server that gives another program is not believed
	kill $server
	wait $server 2>/dev/null
	rm -rf "$DEBUGINFOD_CACHE_PATH" "$TMP/port"
	python3 "$TMP/server.py" "$id" /bin/true "$TMP/port" 2>>"$TMP/asked" &
	server=$!
	until [ -s "$TMP/port" ] || ! kill -0 $server 2>/dev/null; do sleep 0.02; done
	DEBUGINFOD_URLS=http://127.0.0.1:$(cat "$TMP/port")
	ask
	is "another build" "$functions" ""
	like "another build" "$err" "*$TMP/gone: addresses have no names: it is not here*"
fi
kill $server
unset DEBUGINFOD_URLS

# a pipe tells no build: the file must not have changed since; what perf inject -b tells in one counts
cp "$TMP/kept" "$TMP/gone"
perf record -q -F 2000 -e cpu-clock -o - -- "$TMP/gone" >"$TMP/pipe" 2>/dev/null
perf inject -b <"$TMP/pipe" >"$TMP/pipe.built" 2>/dev/null
piped() { # piped FILE: how often burns is named, through a pipe
	cat "$1" | "$DTRACE" -qE - -n 'profile-97 /arg1/ { @[ufunc(arg1)] = count(); }' 2>"$TMP/why" | awk '/gone`burns/ { print $2 }'
}
[ "$(piped "$TMP/pipe")" -ge 10 ] || fail "a pipe: $(cat "$TMP/why")"
is "a pipe that tells builds" "$(piped "$TMP/pipe.built")" "$(piped "$TMP/pipe")"
sed 's/main(void) {/main(void) { if (burns(1) > 5) return 1;/' "$TMP/gone.c" >"$TMP/new.c"
gcc -O1 -Wl,--build-id -o "$TMP/new" "$TMP/new.c" || fail "no other build"
cat "$TMP/new" >"$TMP/gone" # the same inode
is "a pipe, and another build in the file" "$(piped "$TMP/pipe")" ""
like "a pipe, and another build in the file" "$(cat "$TMP/why")" "*$TMP/gone: addresses have no names: the recording does not tell its build, and it has changed since*"
is "a pipe that tells builds, and another one in the file" "$(piped "$TMP/pipe.built")" ""

# code that a runtime has made: perf inject --jit writes a file for each function, whose build only sections tell; what is said of files
# without names has an end
if command -v node >/dev/null 2>&1; then
	cat >"$TMP/hot.js" <<'END'
function hot(n) { let x = 0; for (let i = 0; i < n; i++) x += i % 7; return x; }
let s = 0; for (let k = 0; k < 200; k++) s += hot(1000000);
END
	(cd "$TMP" && perf record -q -k mono -e cpu-clock -F 1000 -o "$TMP/jit.data" -- node --perf-prof hot.js >/dev/null 2>&1 &&
		perf inject --jit -i "$TMP/jit.data" -o "$TMP/injected.data" >/dev/null 2>&1)
	rm -f "$TMP"/jit-*.dump
	truth=$(perf script -i "$TMP/injected.data" -F ip,sym -G 2>/dev/null | grep -c 'JS:[*]hot$')
	if [ "$truth" -ge 10 ]; then
		d -qE "$TMP/injected.data" -n 'profile-97 { @[ufunc(arg1)] = count(); }'
		is "perf inject --jit" "$(echo "$out" | awk '/`JS:[*]hot / { n += $NF } END { print n }')" "$truth"
		rm -f "$TMP"/jitted-*.so
		d -qE "$TMP/injected.data" -n 'profile-97 { @[ufunc(arg1)] = count(); }'
		is "files without names" "$(echo "$err" | grep -c 'addresses have no names')" 10
		like "files without names" "$err" "*more files like it are not told*"
	else
		echo "SKIP: perf inject --jit names nothing here"
	fi
else
	echo "SKIP: code that a runtime has made: no node here"
fi
finish
