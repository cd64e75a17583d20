# Under -C a script may include what C programs include: headers of the C library and of the kernel.
. tests/lib/lib.sh
need cpp

n=0

for header in stdio stdlib string strings ctype errno fcntl limits locale math poll pthread pwd grp sched semaphore setjmp signal \
	stddef stdint inttypes termios time unistd dirent netdb elf ucontext sys/types sys/stat sys/time sys/times sys/wait \
	sys/resource sys/mman sys/ioctl sys/uio sys/un sys/socket sys/select sys/statvfs sys/utsname sys/sysinfo sys/ptrace \
	sys/syscall sys/param netinet/in netinet/ip netinet/ip6 netinet/tcp netinet/udp netinet/ip_icmp net/if net/ethernet \
	arpa/inet linux/types linux/in linux/tcp linux/sched linux/stat linux/fs linux/netlink linux/if_ether asm/unistd; do
	echo "#include <$header.h>" | cpp >/dev/null 2>&1 || continue
	printf '#include <%s.h>\nBEGIN { exit(0); }\n' "$header" >"$TMP/h.d"
	d -qC -s "$TMP/h.d"
	ends 0 "$header.h"
	n=$((n + 1))
done
[ "$n" -ge 30 ] || skip "only $n of the headers are installed"

# what they define is there: members without a name, too
cat >"$TMP/t.d" <<'END'
#include <stdio.h>
#include <sys/types.h>
#include <sys/resource.h>
#include <netinet/tcp.h>
#include <sys/sysinfo.h>
struct rusage u;
BEGIN
{
	u.ru_maxrss = 7;
	printf("%d %d %d %d\n", u.ru_maxrss, sizeof (struct rusage), offsetof(struct rusage, ru_nswap), sizeof (struct timeval));
	printf("%d %d %d\n", sizeof (struct tcphdr), sizeof (struct tcp_info), sizeof (struct sysinfo));
	printf("%d %d\n", sizeof (FILE), TCP_LISTEN);
	exit(0);
}
END
cat >"$TMP/t.c" <<'END'
#include <stddef.h>
#include <stdio.h>
#include <sys/resource.h>
#include <netinet/tcp.h>
#include <sys/sysinfo.h>
int main(void)
{
	printf("%d %zd %zd %zd\n", 7, sizeof (struct rusage), offsetof(struct rusage, ru_nswap), sizeof (struct timeval));
	printf("%zd %zd %zd\n", sizeof (struct tcphdr), sizeof (struct tcp_info), sizeof (struct sysinfo));
	printf("%zd %d\n", sizeof (FILE), TCP_LISTEN);
}
END
need cc
cc -o "$TMP/t" "$TMP/t.c" || fail "cc"
d -qC -D_DEFAULT_SOURCE -s "$TMP/t.d" # as a C program without -std
is "sizes" "$out" "$("$TMP/t")"

# a program's own text is D as before
for text in 'struct s { union { int a; }; };' 'struct s { };' 'struct s { int a[0]; };' 'enum e { A, };' '__signed__ char c;'; do
	echo "$text BEGIN { exit(0); }" >"$TMP/own.d"
	d -qC -s "$TMP/own.d"
	ends 1 "$text"
done
finish
