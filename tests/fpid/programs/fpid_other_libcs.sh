# Hooks find each thread's counters in static programs of glibc, stripped or not, and in those of musl, counted
# and recorded with stacks; Go keeps its threads for itself: breakpoints, with the reason.
# needs: user
# timeout: 120
. tests/lib/lib.sh

cat >"$TMP/p.c" <<'C'
#include <pthread.h>
#include <stdio.h>
__attribute__((noinline)) long f(long x)
{
	__asm__ volatile("");
	return x * 3 + 1;
}
static void *run(void *arg)
{
	long s = 0;
	for (long i = 0; i < 1000; i++)
		s += f(i);
	return (void *)s;
}
int main(void)
{
	pthread_t t[8];
	for (int r = 0; r < 20; r++) {
		for (int i = 0; i < 8; i++)
			if (pthread_create(t + i, NULL, run, NULL))
				return 1;
		for (int i = 0; i < 8; i++)
			pthread_join(t[i], NULL);
	}
	puts("done");
	return 0;
}
C

counted() { # counted WHAT: f is called 160000 times, by a hook
	d -x evaltime=main -x fpidfallback=none -n 'fpid$target:a.out:f:entry { @ = count(); }' -c "$TMP/p"
	ends 0 "$1"
	is "$1" "$(echo $out)" "done 160000"
	like "$1" "$err" "*fpid: 1 function: 1 hooked, 0 by breakpoint*"
	d -x evaltime=main -x claim=off -x fpidfull=wait -x fpidfallback=none -n 'fpid$target:a.out:f:return { @ = count(); @m = max(arg1); @s[ustack(2)] = count(); }' -c "$TMP/p"
	ends 0 "$1, recorded"
	is "$1, recorded" "$(echo $out | sed 's/+0x[0-9a-f]*//g')" "done 160000 2998 p\`f p\`run 160000"
}
stripped() { # stripped WHAT: functions have no names, and all threads count
	strip "$TMP/p"
	d -x evaltime=main -n 'fpid$target:a.out::entry { @ = count(); }' -c "$TMP/p"
	ends 0 "$1, stripped"
	[ "$(echo "$out" | tail -1)" -ge 160160 ] || fail "$1, stripped: $out"
	like "$1, stripped" "$err" "*fpid: * hooked*"
	case $err in *" 0 hooked"*) fail "$1, stripped: $err" ;; esac
}

made=0
make_p() { # make_p COMPILER OPTIONS...
	command -v "$1" >/dev/null 2>&1 && "$@" -O1 -g -pthread -o "$TMP/p" "$TMP/p.c" 2>"$TMP/cc" && made=1
}
make_p gcc -static && counted "static glibc" && stripped "static glibc"
make_p gcc -static-pie && counted "static-pie glibc"
make_p musl-gcc && counted "musl" && stripped "musl"
make_p musl-gcc -static && counted "static musl"
[ $made = 1 ] || skip "no compiler makes static programs here"

if command -v go >/dev/null 2>&1; then
	mkdir "$TMP/go"
	cat >"$TMP/go/p.go" <<'G'
package main

import "fmt"

//go:noinline
func f(x int) int { return x*3 + 1 }

func main() {
	c := make(chan int)
	for i := 0; i < 8; i++ {
		go func() {
			s := 0
			for j := 0; j < 100; j++ {
				s += f(j)
			}
			c <- s
		}()
	}
	for i := 0; i < 8; i++ {
		<-c
	}
	fmt.Println("done")
}
G
	if (cd "$TMP/go" && HOME=$TMP GOCACHE=$TMP/cache GOFLAGS=-mod=mod GO111MODULE=off go build -o "$TMP/p" p.go) 2>"$TMP/cc"; then
		d -n 'fpid$target:a.out:main.f:entry { @ = count(); }' -c "$TMP/p"
		ends 0 "Go"
		is "Go" "$(echo $out)" "done 800"
		like "Go" "$err" "*0 hooked, 1 by breakpoint; the first: main.f: a program of Go *"
	fi
fi
finish
