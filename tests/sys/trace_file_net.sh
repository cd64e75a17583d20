# The network in recordings: connections, what is sent and read, and whose it is, by the tracepoints of sock and tcp.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
need_perf_system
need perf python3

cat >"$TMP/net.py" <<'END'
import os, socket
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen()
port = listener.getsockname()[1]
child = os.fork()
if child == 0:
    c = socket.create_connection(("127.0.0.1", port))
    for i in range(5):
        c.sendall(b"x" * 100)
    c.shutdown(socket.SHUT_WR)
    while c.recv(1000):
        pass
    c.close()
    u = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    for i in range(3):
        u.sendto(b"abcd", ("::1", 9))
    try:
        socket.create_connection(("127.0.0.1", 1))
    except OSError:
        pass
    os._exit(0)
a, _ = listener.accept()
while a.recv(1000):
    pass
a.send(b"bye")
a.close()
os.waitpid(child, 0)
print(os.getpid(), child, port)
END
events=sock:inet_sock_set_state,sock:sock_send_length,sock:sock_recv_length,tcp:tcp_receive_reset,tcp:tcp_retransmit_skb
perf record -q -a -o "$TMP/net.data" -e $events -- python3 "$TMP/net.py" >"$TMP/who" 2>/dev/null || skip "this kernel does not have $events"
read -r server client port <"$TMP/who"

cat >"$TMP/net.d" <<END
tcp:::send, udp:::send, udpip:::send, ip:::send { @[pid, probeprov, probename] = count(); }
tcp:::connect-request, tcp:::connect-established, tcp:::connect-refused, tcp:::accept-established { @[pid, probeprov, probename] = count(); }
tcpip:::connect, tcpip:::accept, tcpip:::disconnect, tcpip:::fail { @[pid, probeprov, probename] = count(); }
tcp:::receive /pid == $server/ { @bytes = count(); }
tcp:::connect-established /args[3]->tcps_rport == $port/ { printf("%s -> %s active %d\n", args[3]->tcps_laddr, args[3]->tcps_raddr, args[3]->tcps_active); }
tcp:::state-change /pid == $client && (args[3]->tcps_rport == $port || args[3]->tcps_lport == $port)/ { printf("%d->%d\n", args[5]->tcps_state, args[3]->tcps_state); }
END
d -qs "$TMP/net.d" -E "$TMP/net.data"
case $status in 0 | 1) ;; *) fail "status $status: $err" ;; esac
is "what each process did" "$(echo "$out" | awk -v s="$server" -v c="$client" 'NF == 4 && $1 == s { $1 = "server"; print } NF == 4 && $1 == c { $1 = "client"; print }' | sort)" \
	"client ip send 8
client tcp connect-established 1
client tcp connect-refused 1
client tcp connect-request 2
client tcp send 5
client tcpip connect 1
client tcpip disconnect 1
client tcpip fail 1
client udp send 3
client udpip send 3
server ip send 1
server tcp accept-established 1
server tcp send 1
server tcpip accept 1
server tcpip disconnect 1"
like "the ends of a connection" "$out" "*127.0.0.1 -> 127.0.0.1 active 1*"
like "its states" "$(echo "$out" | grep -e '->[-0-9]*$' | tr '\n' ' ')" "-6->-2 -2->0 0->*"
truth=$(perf script -i "$TMP/net.data" -F event 2>/dev/null | awk '/inet_sock_set_state/ { n++ } END { print n }')
d -qE "$TMP/net.data" -n 'tcp:::state-change { @ = count(); }'
is "each change" "$(echo $out)" "$truth"

# the sentence says what is to be recorded
perf record -q -o "$TMP/less.data" -e sched:sched_switch -- true 2>/dev/null
d -qE "$TMP/less.data" -n 'tcp:::send, ip:::drop-in { @ = count(); }'
like "what is missing" "$err" "*probe tcp:vmlinux::send has no events: event sock:sock_send_length is not recorded in $TMP/less.data (perf record -e sock:sock_send_length)*"
like "what no recording has" "$err" "*probe ip:vmlinux::drop-in has no events: no event that perf can record tells of it*"
finish
