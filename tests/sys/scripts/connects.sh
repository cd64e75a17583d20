# Addresses copied in and told by inet_ntoa(); connections as the provider tcp sees them.
# needs: root
. tests/lib/lib.sh
. tests/lib/sys.sh
. tests/lib/scripts.sh
need_perf_system
need_bpf
perl_program net <<'P'
use Socket;
socket(L, PF_INET, SOCK_STREAM, 0) or die;
bind(L, pack_sockaddr_in(0, INADDR_LOOPBACK)) or die;
my ($port) = unpack_sockaddr_in(getsockname(L));
$| = 1;
print "port $port\n";
for (1 .. 3) { socket(C, PF_INET, SOCK_STREAM, 0); connect(C, pack_sockaddr_in($port, INADDR_LOOPBACK)); close(C); }
listen(L, 10) or die;
for (1 .. 4) { socket(C, PF_INET, SOCK_STREAM, 0); connect(C, pack_sockaddr_in($port, INADDR_LOOPBACK)) or die; close(C); }
P
script connects -c "perl $TMP/net.pl" 1
is "refused" "$(cell 127.0.0.1 other refused)" 3
is "connected" "$(cell 127.0.0.1 other connected)" 4
is "refused by tcp" "$(cell connect-refused)" 3
is "established by tcp" "$(cell connect-established)" 4
finish
