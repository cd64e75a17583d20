# Functions of Go: their names are written in quotes, and are known in stripped programs, too.
# needs: user
. tests/lib/lib.sh
need go

cat >"$TMP/g.go" <<'END'
package main

import "os"

type P struct{ X, Y int }

//go:noinline
func (p *P) Dist(q int) int { return p.X*p.X + p.Y*p.Y + q }

//go:noinline
func (p P) Val() int { return p.X }

func main() {
	p := &P{3, 4}
	n := 0
	for i := 0; i < 5; i++ {
		n += p.Dist(i) + p.Val()
	}
	if n != 150 {
		os.Exit(1)
	}
}
END
works() { # works WHAT FLAGS...
	what=$1
	shift
	(cd "$TMP" && HOME=$TMP GOCACHE=$TMP/cache GO111MODULE=off go build -o g "$@" g.go) >"$TMP/log" 2>&1 || {
		echo "$what cannot be built: $(tail -1 "$TMP/log")"
		return
	}
	d -qn 'pid$target:g:"main.(*P).Dist":entry { @[probefunc] = count(); }' -c "$TMP/g"
	is "$what: a method" "$(echo $out)" "main.(*P).Dist 5"
	d -ln 'pid$target:g:main.*:entry' -c "$TMP/g"
	like "$what: -l" "$out" '*"main.(\*P).Dist" entry*main.P.Val entry*main.main entry*'
	d -qn 'pid$target:g:main.P.Val:entry { ustack(3); exit(0); }' -c "$TMP/g"
	like "$what: a stack" "$(echo $out)" 'g`main.P.Val g`main.main+0x* g`runtime.main+0x*'
	d -lvn 'pid$target:g:"main.(*P).Dist":entry' -c "$TMP/g"
	like "$what: -lv" "$out" '*Source*/g.go:8*'
	d -qn 'pid$target:g:"main.(*P).None":entry' -c "$TMP/g"
	like "$what: no such function" "$err" "*failed to lookup 'main.(\*P).None' in module 'g'*"
}
works "with symbols"
works "stripped" -ldflags '-s -w'
works "position-independent" -buildmode=pie
works "position-independent and stripped" -buildmode=pie -ldflags '-s -w'
d -qn 'pid$target:g:"main.(*P:entry { trace(1); }' -c "$TMP/g"
like "a quote that does not end" "$err" '*a quoted name in a probe description does not end*'
finish
