# Go: args[] at entry and the results at return, as its own calling convention has them; variables by their
# names of package and variable.
# needs: user
. tests/lib/lib.sh
need go

mkdir "$TMP/m"
cat >"$TMP/m/m.go" <<'END'
package main

type Pt struct {
	X int32
	Y int8
	Z int16
	N string
}
type Shape interface{ Area() float64 }
type Square struct{ Side float64 }

func (q Square) Area() float64 { return q.Side * q.Side }

//go:noinline
func ints(a int8, b uint8, c int16, d uint32, e int64, f bool, g rune, h uint, i uintptr, j int, k int8) int64 {
	return int64(a) + e + int64(k)
}

//go:noinline
func mixed(s string, p *Pt, v []int32, f float32, d float64, c complex128, pt Pt, z struct{}, arr [3]int16, one [1]int, sh Shape) (int, string, Pt, error) {
	return len(s) + int(p.X) + len(v), s, pt, nil
}

//go:noinline
func wide(pt Pt, arr [3]int16, n int) ([2]int, int) { return [2]int{n, 8}, n + 1 }

var Counter int16 = 40
var place = Pt{6, 7, 8, "here"}

func main() {
	p := &Pt{3, 4, -5, "pt"}
	Counter++
	place.X++
	ints(-1, 2, -3, 4, -5, true, 'x', 8, 9, 10, -11)
	mixed("hello", p, []int32{1, 2, 3}, 1.5, 2.5, 3+4i, Pt{5, -6, 7, "byval"}, struct{}{}, [3]int16{7, 8, 9}, [1]int{12}, Square{2})
	wide(*p, [3]int16{1, 2, 3}, 33)
}
END
cat >"$TMP/p.d" <<'END'
pid$target:a.out:main.ints:entry
{
	printf("%d %d %d %d %d %d ", args[0], args[1], args[2], args[3], args[4], args[5]);
	printf("%c %d %d %d %d;", args[6], args[7], args[8], args[9], args[10]);
}
pid$target:a.out:main.ints:return { printf("%d;", args[1]); }
pid$target:a.out:main.mixed:entry
{
	printf("%s ", copyinstr((uintptr_t)args[0].str, args[0].len + 1));
	printf("%d %d %d %d ", args[1]->X, args[1]->Y, args[1]->Z, args[2].array[1]);
	printf("%g %g ", args[3], args[4]);
	printf("%d %d %d ", args[6].X, args[6].Y, args[6].Z);
	printf("%s ", copyinstr((uintptr_t)args[6].N.str, args[6].N.len + 1));
	printf("%d %d;", args[8][1], args[9][0]);
	print(args[5]);
}
pid$target:a.out:main.mixed:return
{
	printf("%d %s ", args[1], copyinstr((uintptr_t)args[2].str, args[2].len + 1));
	printf("%d %d %d;", args[3].X, args[3].Z, args[3].N.len);
}
pid$target:a.out:main.wide:entry { printf("%d %d %d;", args[0].Z, args[1][2], args[2]); }
pid$target:a.out:main.wide:return { printf("%d %d %d", args[1][0], args[1][1], args[2]); }
END
for flags in "" "-N -l"; do
	(cd "$TMP/m" && HOME=$TMP GOCACHE=$TMP/cache GO111MODULE=off go build -gcflags="$flags" -o ../p m.go) || fail "go cannot build"
	d -qs "$TMP/p.d" -c "$TMP/p"
	ends 0 "go build $flags"
	is "go build $flags" "$out" "-1 2 -3 4 -5 1 x 8 9 10 -11;-17;hello 3 4 -5 2 1.5 2.5 5 -6 7 byval 8 12;double complex +3.0000000e+00+4.0000000e+00i
11 hello 5 7 5;-5 3 33;33 8 34"
done
d -qn 'pid$target:a.out:main.wide:entry { printf("%d %d ", a.out`main.Counter, `main.place.X); printf("%d", `main.place.Y); }' -c "$TMP/p"
ends 0 "variables"
is "variables" "$out" "41 7 7"
d -qn 'BEGIN { trace(`main.nosuch); }' -c "$TMP/p"
ends 1 "no variable"
like "no variable" "$err" '*failed to resolve `main: Unknown symbol name'
d -qn 'pid$target:a.out:main.mixed:entry { trace(args[7]); }' -c "$TMP/p"
ends 1 "nothing is passed of an empty structure"
like "nothing is passed of an empty structure" "$err" '*args\[7\] of *: it is empty*'
finish
