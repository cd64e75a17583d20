# A thousand requests of a web server are a thousand connections that it accepts, and that its client opens.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need_bpf
need nginx curl
port=$((20000 + $$ % 20000))
mkdir "$TMP/www"
echo hello >"$TMP/www/index.html"
cat >"$TMP/nginx.conf" <<CONF
daemon off;
user root;
worker_processes 2;
pid $TMP/nginx.pid;
error_log $TMP/nginx.log;
events { worker_connections 64; }
http {
	access_log $TMP/access.log;
	client_body_temp_path $TMP/body;
	proxy_temp_path $TMP/proxy;
	fastcgi_temp_path $TMP/fastcgi;
	uwsgi_temp_path $TMP/uwsgi;
	scgi_temp_path $TMP/scgi;
	keepalive_timeout 0;
	server { listen 127.0.0.1:$port; listen [::1]:$port; root $TMP/www; }
}
CONF
nginx -c "$TMP/nginx.conf" -e "$TMP/nginx.log" >"$TMP/said" 2>&1 &
server=$!
trap 'kill -QUIT $server; wait $server' EXIT
until [ -s "$TMP/nginx.pid" ]; do
	kill -0 $server 2>/dev/null || skip "nginx does not run here: $(cat "$TMP/said" "$TMP/nginx.log")"
	sleep 0.02
done
for i in $(seq 1000); do
	echo "url = http://$([ $i -le 700 ] && echo 127.0.0.1 || echo '[::1]'):$port/"
	echo "output = /dev/null"
done >"$TMP/requests"

# one line, as it is typed: of all the machine, where nobody else connects meanwhile
d -n 'tcp:::accept-established { @[args[3]->tcps_raddr] = count(); }' -c "curl -sg -K $TMP/requests"
ends 0 "the one line"
is "requests that nginx has served" "$(wc -l <"$TMP/access.log")" 1000
[ "$(echo "$out" | awk '$1 == "127.0.0.1" { print $2 }')" -ge 700 ] || fail "connections over IPv4: $out"
[ "$(echo "$out" | awk '$1 == "::1" { print $2 }')" -ge 300 ] || fail "connections over IPv6: $out"

# of this server alone: exactly as many, in the names of its workers and of the client
d -qn 'tcp:::accept-established /args[3]->tcps_lport == '$port'/ { @[args[3]->tcps_raddr] = count(); @w[execname] = count(); }
	tcp:::connect-established /pid == $target/ { @c[args[3]->tcps_raddr, args[3]->tcps_rport] = count(); }' -c "curl -sg -K $TMP/requests"
ends 0 "of one server"
is "of one server" "$(echo "$out" | awk 'NF' | sed 's/  */ /g; s/^ //' | sort)" "$(sort <<ALL
127.0.0.1 700
::1 300
nginx 1000
127.0.0.1 $port 700
::1 $port 300
ALL
)"
finish
