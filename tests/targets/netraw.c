/*
 * netraw.c: packets of the loopback that are not what they should be, through raw sockets: netraw
 * [WHAT]. Each is sent once; prints "NAME 1" for each that the kernel has taken, or "NAME 0".
 */
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PORT = 9 }; /* nobody has it */
enum { TCP = IPPROTO_TCP, UDP = IPPROTO_UDP };

#define PORTS 0, 7, 0, PORT

struct raw {
	const char *name;
	int version;
	int ihl;      /* of IPv4, in words */
	int fragment; /* of IPv4, in words of 8 bytes */
	int protocol; /* the first behind the header */
	int len;
	unsigned char data[64];
};

static const struct raw raws[] = {
	{"udp4", 4, 5, 0, UDP, 12, {PORTS, 0, 12, 0, 0, 'd', 'a', 't', 'a'}},
	{"udp4_no_header_length", 4, 0, 0, UDP, 12, {PORTS, 0, 12, 0, 0}},
	{"udp4_header_length_2", 4, 2, 0, UDP, 12, {PORTS, 0, 12, 0, 0}},
	{"udp4_cut", 4, 5, 0, UDP, 5, {PORTS, 0}},
	{"udp4_long", 4, 5, 0, UDP, 12, {PORTS, 0xff, 0xff, 0, 0}},
	{"udp4_later", 4, 5, 185, UDP, 16, {PORTS, 0, 12, 0, 0}},
	{"tcp4_cut", 4, 5, 0, TCP, 12, {PORTS, 0, 0, 0, 1, 0, 0, 0, 0}},
	{"tcp4_offset_15", 4, 5, 0, TCP, 20, {PORTS, 0, 0, 0, 1, 0, 0, 0, 0, 0xf0, 2, 1, 0}},
	{"tcp4_offset_0", 4, 5, 0, TCP, 20, {PORTS, 0, 0, 0, 1, 0, 0, 0, 0, 0, 2, 1, 0}},
	{"udp6", 6, 0, 0, UDP, 12, {PORTS, 0, 12, 0xff, 0xff}},
	{"udp6_extensions", 6, 0, 0, 0, 28, {60, 0, 1, 4, 0, 0,	    0, 0,  UDP,	 0,   1,
					     4,	 0, 0, 0, 0, PORTS, 0, 12, 0xff, 0xff}},
	{"udp6_first", 6, 0, 0, 44, 20, {UDP, 0, 0, 1, 0, 0, 0, 1, PORTS, 0, 12, 0xff, 0xff}},
	{"udp6_later", 6, 0, 0, 44, 24, {UDP, 0, 5, 0xc8, 0, 0, 0, 1, PORTS, 0, 12, 0xff, 0xff}},
	{"udp6_extension_cut", 6, 0, 0, 60, 4, {UDP, 0, 1, 4}},
	{"udp6_extension_long", 6, 0, 0, 60, 16, {UDP, 255, 1, 4, 0, 0, 0, 0, PORTS, 0, 8, 0, 0}},
	{"tcp6_cut", 6, 0, 0, TCP, 2, {0, 7}},
	{"udp6_six_extensions", 6, 0, 0, 60, 56, {60, 0, 1,  4, 0,     0,  0, 0,    60,	 0, 1,
						  4,  0, 0,  0, 0,     60, 0, 1,    4,	 0, 0,
						  0,  0, 60, 0, 1,     4,  0, 0,    0,	 0, 60,
						  0,  1, 4,  0, 0,     0,  0, UDP,  0,	 1, 4,
						  0,  0, 0,  0, PORTS, 0,  8, 0xff, 0xff}},
};

static int send4(int s, const struct raw *r)
{
	const struct sockaddr_in to = {.sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	unsigned char p[128] = {(unsigned char)(0x40 | r->ihl), 0, 0, (unsigned char)(20 + r->len)};

	p[6] = (unsigned char)(r->fragment >> 8);
	p[7] = (unsigned char)r->fragment;
	p[8] = 64;
	p[9] = (unsigned char)r->protocol;
	memcpy(p + 12, &to.sin_addr, 4);
	memcpy(p + 16, &to.sin_addr, 4);
	memcpy(p + 20, r->data, (size_t)r->len);
	return sendto(s, p, (size_t)(20 + r->len), 0, (const void *)&to, sizeof(to)) > 0;
}

static int send6(int s, const struct raw *r)
{
	const struct sockaddr_in6 to = {.sin6_family = AF_INET6,
					.sin6_addr = IN6ADDR_LOOPBACK_INIT};
	unsigned char p[128] = {0x60, 0, 0, 0, 0, (unsigned char)r->len, (unsigned char)r->protocol,
				64};

	memcpy(p + 8, &to.sin6_addr, 16);
	memcpy(p + 24, &to.sin6_addr, 16);
	memcpy(p + 40, r->data, (size_t)r->len);
	return sendto(s, p, (size_t)(40 + r->len), 0, (const void *)&to, sizeof(to)) > 0;
}

int main(int argc, char **argv)
{
	int one = 1, s4 = socket(AF_INET, SOCK_RAW, IPPROTO_RAW),
	    s6 = socket(AF_INET6, SOCK_RAW, IPPROTO_RAW);

	if (s4 < 0 || s6 < 0 || setsockopt(s6, IPPROTO_IPV6, IPV6_HDRINCL, &one, sizeof(one))) {
		perror("raw sockets");
		return 1;
	}
	for (size_t i = 0; i < sizeof(raws) / sizeof(raws[0]); i++)
		if (argc < 2 || strcmp(argv[1], raws[i].name) == 0)
			printf("%s %d\n", raws[i].name,
			       raws[i].version == 4 ? send4(s4, &raws[i]) : send6(s6, &raws[i]));
	return 0;
}
