# Every function of python3 and its libraries counted by module, in a program that is started and in a server
# that runs; returns of libcrypto; bytes allocated by the stacks that asked for them, in many threads.
# needs: user
# timeout: 240
. tests/lib/lib.sh
. tests/lib/attach.sh

bench() {
	cat >"$TMP/bench.py" <<-'P'
		def fib(n):
		    return n if n < 2 else fib(n - 1) + fib(n - 2)
		d = {i: str(i) for i in range(2000)}
		print(fib(15), sum(len(v) for v in d.values()), sorted(d.values())[7])
	P
	python3 "$TMP/bench.py" >"$TMP/want" || fail "python3 does not run"
	d -qn 'fpid$target:::entry { @[probemod] = count(); }' -o "$TMP/agg" -c "python3 $TMP/bench.py"
	ends 0 "python3"
	is "python3" "$out" "$(cat "$TMP/want")"
	is "python3: messages" "$err" ""
	[ "$(awk '/python/ { n += $2 } END { print n + 0 }' "$TMP/agg")" -gt 10000 ] || fail "python3: $(cat "$TMP/agg")"
	grep -q 'libc.so.6 *[1-9]' "$TMP/agg" || fail "no libc: $(cat "$TMP/agg")"
	rm -f "$TMP/agg"
}

server() {
	cat >"$TMP/server.py" <<-'P'
		import socket, sys, threading
		s = socket.create_server(("127.0.0.1", 0))
		print("port", s.getsockname()[1], flush=True)
		def serve(c):
		    for line in c.makefile("rw", newline="\n"):
		        c.sendall((str(sum(int(w) for w in line.split())) + "\n").encode())
		while True:
		    threading.Thread(target=serve, args=(s.accept()[0],), daemon=True).start()
	P
	cat >"$TMP/ask.py" <<-'P'
		import socket, sys
		c = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
		f = c.makefile("rw", newline="\n")
		for i in range(500):
		    f.write(f"{i} {i + 1} 7\n")
		    f.flush()
		    assert f.readline() == f"{2 * i + 8}\n"
		print("answers are right")
	P
	/usr/bin/env python3 "$TMP/server.py" >"$TMP/said" 2>&1 &
	target=$!
	waits_for "$TMP/said" '^port' "the server"
	port=$(awk '{ print $2 }' "$TMP/said")
	trace -n 'fpid$target:::entry { @[probemod] = count(); }' -o "$TMP/agg" -p "$target"
	waits_for "$TMP/err" 'fpid: .* hooked' "the server, hooked"
	is "answers" "$(python3 "$TMP/ask.py" "$port" 2>&1)" "answers are right"
	end_trace
	ends 0 "server"
	[ "$(awk '/python/ { n += $2 } END { print n + 0 }' "$TMP/agg")" -gt 10000 ] || fail "server: $(cat "$TMP/agg")"
	is "answers afterwards" "$(python3 "$TMP/ask.py" "$port" 2>&1)" "answers are right"
	unharmed "$target" "server"
	kill "$target"
	wait "$target"
	target=
	rm -f "$TMP/agg"
}

crypto() {
	openssl dgst -sha512 -hmac key tests/lib/lib.sh >"$TMP/want"
	d -qn 'fpid$target:libcrypto*::return { @[probefunc] = count(); }' -o "$TMP/agg" -c "openssl dgst -sha512 -hmac key tests/lib/lib.sh"
	ends 0 openssl
	is openssl "$out" "$(cat "$TMP/want")"
	[ "$(grep -c . "$TMP/agg")" -gt 100 ] || fail "openssl: $(cat "$TMP/agg")"
	rm -f "$TMP/agg"
}

# eight threads, each with a known number of blocks of its own size, from two functions
allocations() {
	cat >"$TMP/blocks.c" <<-'C'
		#include <pthread.h>
		#include <stdlib.h>
		#define NOINLINE __attribute__((noinline, noclone, noipa))
		NOINLINE void *small(size_t n) { void *p = malloc(n); __asm__ volatile(""); return p; }
		NOINLINE void *large(size_t n) { void *p = malloc(n * 100); __asm__ volatile(""); return p; }
		NOINLINE void *work(void *arg)
		{
			for (size_t i = 0; i < 1000; i++) {
				free(small((size_t)arg));
				free(large((size_t)arg));
			}
			return NULL;
		}
		int main(void)
		{
			pthread_t t[8];
			for (size_t i = 0; i < 8; i++)
				pthread_create(&t[i], NULL, work, (void *)(i + 1));
			for (int i = 0; i < 8; i++)
				pthread_join(t[i], NULL);
			return 0;
		}
	C
	gcc -O1 -g -pthread -o "$TMP/blocks" "$TMP/blocks.c" || fail "blocks.c does not compile"
	d -x fpidfull=wait -qn 'fpid$target::malloc:entry { @[ustack(8)] = sum(arg0); }' -o "$TMP/agg" -c "$TMP/blocks"
	ends 0 allocations
	is "allocations: messages" "$err" ""
	for who in 'small 36000' 'large 3600000'; do
		# shellcheck disable=SC2086
		set -- $who
		is "$1" "$(awk -v f="blocks\`$1+" 'NF == 0 { next } NF == 1 && /^ *[0-9]+$/ { if (mine) n += $1; mine = 0; next }
			index($0, f) { mine = 1 } END { print n }' "$TMP/agg")" "$2"
	done
	grep -A2 'blocks`small' "$TMP/agg" | grep -q 'blocks`work' || fail "no stack goes through work: $(head -20 "$TMP/agg")"
}

ran=0
have() {
	command -v "$1" >/dev/null 2>&1 && ran=1
}
have python3 && bench && server
have openssl && crypto
have gcc && allocations
[ $ran = 1 ] || skip "no python3, openssl or gcc"
finish
