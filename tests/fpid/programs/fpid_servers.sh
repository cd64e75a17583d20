# Servers at work with every function hooked, entry and return: each answer is what it was, from a start under
# the command to the end, and while a running one is attached to, left, and attached to again.
# needs: user
# timeout: 240
. tests/lib/lib.sh
. tests/lib/attach.sh

every='fpid$target:::entry, fpid$target:::return { @[probename] = count(); }'
port=$((20000 + $$ % 20000))

# counted FILE WHAT: entries and returns in an aggregation
counted() {
	for name in entry return; do
		n=$(awk -v name=$name 'NF == 2 && $1 == name { print $2 }' "$1")
		[ "${n:-0}" -gt 10000 ] || fail "$2: ${n:-0} of $name"
	done
}

ask_redis() {
	for i in 1 2 3 4 5 6 7 8; do
		cat <<-END
			set key$i value$i
			get key$i
			lpush list a$i b$i c$i
			lrange list 0 -1
			zadd sorted $i m$i
			zrangebyscore sorted -inf +inf withscores
			eval "return redis.sha1hex(ARGV[1])" 0 $i
			nonsense
		END
	done | redis-cli -p $port
	redis-benchmark -p $port -n 3000 -c 8 -P 4 -t set,get,incr,lpush,mset -q 2>&1 | grep -c 'requests per second'
}

redis_server() {
	redis="redis-server --port $port --bind 127.0.0.1 --save '' --appendonly no --dir $TMP"
	sh -c "exec $redis" >"$TMP/redis" 2>&1 &
	target=$!
	waits_for "$TMP/redis" 'Ready to accept' "redis"
	ask_redis >"$TMP/want"
	grep -q value8 "$TMP/want" || fail "redis: $(head -5 "$TMP/want")"
	for round in 1 2; do
		redis-cli -p $port flushall >"$TMP/flushed"
		trace -x fpidfallback=none -n "$every" -o "$TMP/agg" -p "$target"
		waits_for "$TMP/err" 'fpid: .* hooked' "redis, hooked"
		ask_redis >"$TMP/got"
		end_trace
		ends 0 "redis, round $round"
		diff "$TMP/want" "$TMP/got" >"$TMP/diff" || fail "redis, round $round: $(head -5 "$TMP/diff")"
		counted "$TMP/agg" "redis, round $round"
		unharmed "$target" "redis, round $round"
		rm -f "$TMP/agg"
	done
	redis-cli -p $port shutdown nosave 2>/dev/null
	target_ends "redis"

	trace -x fpidfallback=none -n "$every" -o "$TMP/agg" -c "$redis"
	waits_for "$TMP/out" 'Ready to accept' "redis under the command"
	ask_redis >"$TMP/got"
	redis-cli -p $port shutdown nosave 2>/dev/null
	wait "$tracer" || fail "redis under the command: the command ended with $?"
	tracer=
	diff "$TMP/want" "$TMP/got" >"$TMP/diff" || fail "redis under the command: $(head -5 "$TMP/diff")"
	counted "$TMP/agg" "redis under the command"
	! grep 'exited with\|terminated' "$TMP/err" || fail "redis under the command did not end well"
	rm -f "$TMP/agg"
}

nginx_server() {
	mkdir "$TMP/www"
	seq 20000 >"$TMP/www/numbers"
	cat >"$TMP/nginx.conf" <<-END
		daemon off;
		master_process off;
		pid $TMP/nginx.pid;
		error_log $TMP/nginx.log;
		events { worker_connections 64; }
		http {
			access_log off;
			client_body_temp_path $TMP/body;
			proxy_temp_path $TMP/proxy;
			fastcgi_temp_path $TMP/fastcgi;
			uwsgi_temp_path $TMP/uwsgi;
			scgi_temp_path $TMP/scgi;
			gzip on;
			gzip_types *;
			server { listen 127.0.0.1:$port; root $TMP/www; }
		}
	END
	ask_nginx() {
		for i in 1 2 3; do
			curl -s "http://127.0.0.1:$port/numbers" | cksum
			curl -s --compressed "http://127.0.0.1:$port/numbers" | cksum
			curl -s -r 100-200 "http://127.0.0.1:$port/numbers" | cksum
			curl -s -o /dev/null -w '%{http_code}\n' "http://127.0.0.1:$port/nothing"
		done
	}
	nginx -c "$TMP/nginx.conf" -e "$TMP/nginx.log" >"$TMP/said" 2>&1 &
	target=$!
	until [ -s "$TMP/nginx.pid" ]; do
		kill -0 "$target" 2>/dev/null || {
			echo "nginx does not run here: $(cat "$TMP/said" "$TMP/nginx.log")"
			target=
			return
		}
		sleep 0.02
	done
	ask_nginx >"$TMP/want"
	trace -x fpidfallback=none -n "$every" -o "$TMP/agg" -p "$target"
	waits_for "$TMP/err" 'fpid: .* hooked' "nginx, hooked"
	ask_nginx >"$TMP/got"
	end_trace
	ends 0 "nginx"
	diff "$TMP/want" "$TMP/got" >"$TMP/diff" || fail "nginx: $(head -5 "$TMP/diff")"
	counted "$TMP/agg" nginx
	unharmed "$target" nginx
	ask_nginx >"$TMP/got"
	diff "$TMP/want" "$TMP/got" >"$TMP/diff" || fail "nginx afterwards: $(head -5 "$TMP/diff")"
	kill -QUIT "$target"
	target_ends "nginx"
}

ran=0
have() {
	for program; do
		command -v "$program" >/dev/null 2>&1 || return 1
	done
	ran=1
}
have redis-server redis-benchmark redis-cli && redis_server
have nginx curl && nginx_server
[ $ran = 1 ] || skip "no redis-server and no nginx"
finish
