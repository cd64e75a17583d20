/*
 * netconnect.c: netconnect ADDRESS PORT N [wait]: asks for N connections of TCP, keeps them open
 * and prints "error ERRNO" for each that fails; with `wait` connect() returns at once and is asked
 * again.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

int main(int argc, char **argv)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
	const struct sockaddr *to = (const void *)&v4;
	socklen_t len = sizeof(v4);

	if (argc < 4)
		return 1;
	v4.sin_port = v6.sin6_port = htons((uint16_t)atoi(argv[2]));
	if (strchr(argv[1], ':')) {
		to = (const void *)&v6;
		len = sizeof(v6);
	}
	if (inet_pton(to->sa_family, argv[1],
		      len == sizeof(v6) ? (void *)&v6.sin6_addr : (void *)&v4.sin_addr) != 1)
		return 1;
	for (int i = atoi(argv[3]); i > 0; i--) {
		int s = socket(to->sa_family, SOCK_STREAM | (argc > 4 ? SOCK_NONBLOCK : 0), 0);
		int failed = connect(s, to, len) < 0;

		if (failed && errno == EINPROGRESS) {
			struct pollfd p = {.fd = s, .events = POLLOUT};

			poll(&p, 1, -1);
			failed = connect(s, to, len) < 0 && errno != EISCONN;
		}
		if (failed)
			printf("error %d\n", errno);
	}
	return 0;
}
