# dnet of Node and Go, which have no static probes: by functions, as often as they say themselves.
# needs: user
# timeout: 200
. tests/lib/lib.sh
tried=

# seen PROBE: how many of it
seen() {
	echo "$out" | awk -v p="$1" '$1 == p { print $2 }'
}
node=$(command -v node || command -v nodejs)
if [ -n "$node" ] && grep -qa _ZN2v88internal4Heap25GarbageCollectionEpilogueENS0_16GarbageCollectorE "$(readlink -f "$node")"; then
	tried=1
	cat >"$TMP/t.js" <<'END'
for (let i = 0; i < 5; i++) global.gc();
const a = [];
for (let i = 0; i < 300000; i++) a.push({ i });
for (let i = 0; i < 25; i++) try { throw new Error("x" + i); } catch (e) { }
try { null.x } catch (e) { }
function add(a, b) { return a + b; }
for (let i = 0; i < 100000; i++) add(i, 1);
add("a", {});
for (let i = 0; i < 100000; i++) add(i, 1);
END
	d -qn 'dnet:node:: { @[probename] = count(); } dnet:node:gc:gc-end /(int)arg1 == 1/ { @["whole"] = count(); }
		dnet:node:jit:method-deopt { @d["deopts"] = count(); }' -c "$node --expose-gc --trace-gc --trace-deopt $TMP/t.js"
	ends 0 node
	n=$(grep -cE ' ms: (Mark-Compact|Scavenge|Mark-sweep)' "$TMP/out")
	is "node: collections" "$(seen gc-start) $(seen gc-end)" "$n $n"
	is "node: whole ones" "$(seen whole)" "$(grep -cE ' ms: (Mark-Compact|Mark-sweep)' "$TMP/out")"
	is "node: exceptions" "$(seen excp)" 26
	is "node: deoptimizations" "$(seen method-deopt)" "$(grep -c '^\[bailout' "$TMP/out")"
fi

if command -v go >/dev/null; then
	cat >"$TMP/t.go" <<'END'
package main

import (
	"fmt"
	"runtime"
)

func fails(i int) {
	defer func() { recover() }()
	panic(i)
}

func main() {
	for i := 0; i < 7; i++ {
		runtime.GC()
	}
	for i := 0; i < 5; i++ {
		fails(i)
	}
	done := make(chan bool)
	go func() { runtime.LockOSThread(); done <- true }() // its thread ends with it
	<-done
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Println("collections", m.NumGC)
}
END
	HOME=$TMP GOCACHE=$TMP/cache GOFLAGS= go build -o "$TMP/t" "$TMP/t.go" 2>"$TMP/why" &&
		HOME=$TMP GOCACHE=$TMP/cache GOFLAGS= go build -ldflags '-s -w' -o "$TMP/stripped" "$TMP/t.go" ||
		skip "no Go program: $(cat "$TMP/why")"
	tried=1
	for program in t stripped; do
		d -qn 'dnet:go:: { @[probename] = count(); } dnet:go:thread:thr-start { @t[tid] = count(); } END { printa("thread %d %@d\n", @t); }' \
			-c "$TMP/$program"
		ends 0 "$program"
		n=$(awk '/^collections/ { print $2 }' "$TMP/out")
		is "$program: collections" "$(seen gc-start) $(seen gc-end)" "$n $n"
		is "$program: panics" "$(seen excp)" 5
		is "$program: each thread begins once" "$(echo "$out" | awk '/^thread/ && $3 != 1')" ""
		[ "$(seen thr-start)" -ge 2 ] || fail "$program: $(seen thr-start) threads"
	done
fi
[ -n "$tried" ] || skip "no runtime here"
finish
