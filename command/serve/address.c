#include "command/serve/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BACKLOG 16

static int bad_address(const char *text, struct err *err)
{
	return err_set(
		err, -EINVAL,
		"metrics=%s: say PORT, ADDRESS:PORT, [IPv6]:PORT or unix:PATH, with a number for "
		"each",
		text);
}

static int parse_path(const char *path, struct address *a, struct err *err)
{
	if (!*path || strlen(path) >= sizeof(a->un.sun_path))
		return err_set(err, -EINVAL, "metrics=unix:%s: a path of 1 to %zu bytes is needed",
			       path, sizeof(a->un.sun_path) - 1);
	a->un.sun_family = AF_UNIX;
	memcpy(a->un.sun_path, path, strlen(path) + 1);
	a->n = sizeof(a->un);
	a->is_loopback = true;
	return 0;
}

static bool parse_port(const char *text, in_port_t *port)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	*port = htons((uint16_t)n);
	return *text >= '0' && *text <= '9' && !*end && n <= UINT16_MAX;
}

static bool set_v4(struct address *a, const char *host, in_port_t port)
{
	struct sockaddr_in *in = (struct sockaddr_in *)&a->room;

	if (inet_pton(AF_INET, host, &in->sin_addr) != 1)
		return false;
	in->sin_family = AF_INET;
	in->sin_port = port;
	a->n = sizeof(*in);
	a->is_loopback = ntohl(in->sin_addr.s_addr) >> 24 == 127;
	a->is_wildcard = in->sin_addr.s_addr == INADDR_ANY;
	snprintf(a->host, sizeof(a->host), "%s", host);
	return true;
}

static bool set_v6(struct address *a, const char *host, in_port_t port)
{
	struct sockaddr_in6 *in = (struct sockaddr_in6 *)&a->room;

	if (inet_pton(AF_INET6, host, &in->sin6_addr) != 1)
		return false;
	in->sin6_family = AF_INET6;
	in->sin6_port = port;
	a->n = sizeof(*in);
	a->is_loopback = IN6_IS_ADDR_LOOPBACK(&in->sin6_addr);
	a->is_wildcard = IN6_IS_ADDR_UNSPECIFIED(&in->sin6_addr);
	snprintf(a->host, sizeof(a->host), "[%s]", host);
	return true;
}

int address_parse(const char *text, struct address *a, struct err *err)
{
	const char *colon = strrchr(text, ':');
	char host[64] = "127.0.0.1";
	in_port_t port;

	memset(a, 0, sizeof(*a));
	if (!strncmp(text, "unix:", 5))
		return parse_path(text + 5, a, err);
	if (colon) {
		size_t n = (size_t)(colon - text);
		bool has_brackets = n > 2 && *text == '[' && text[n - 1] == ']';

		if (has_brackets)
			n -= 2;
		if (!n || n >= sizeof(host))
			return bad_address(text, err);
		memcpy(host, text + has_brackets, n);
		host[n] = '\0';
		if (!strcmp(host, "localhost"))
			snprintf(host, sizeof(host), "127.0.0.1");
	}
	if (!parse_port(colon ? colon + 1 : text, &port) ||
	    (!set_v4(a, host, port) && !set_v6(a, host, port)))
		return bad_address(text, err);
	return 0;
}

/* A socket that nobody listens to any more, of a run that was killed. */
static void remove_stale(const struct address *a)
{
	struct stat st;
	int fd, rc;

	if (lstat(a->un.sun_path, &st) || !S_ISSOCK(st.st_mode) || st.st_uid != geteuid())
		return;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	rc = fd < 0 ? 0 : connect(fd, &a->any, a->n);
	if (rc && errno == ECONNREFUSED)
		unlink(a->un.sun_path);
	if (fd >= 0)
		close(fd);
}

static int bind_to(int fd, const struct address *a)
{
	mode_t mask;
	int rc, one = 1;

	if (a->any.sa_family != AF_UNIX) {
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
		return bind(fd, &a->any, a->n) ? -errno : 0;
	}
	remove_stale(a);
	mask = umask(0177);
	rc = bind(fd, &a->any, a->n) ? -errno : 0;
	umask(mask);
	return rc;
}

int address_listen(const struct address *a, const char *text, struct err *err)
{
	int fd = socket(a->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int rc = fd < 0 ? -errno : bind_to(fd, a);

	if (!rc && listen(fd, BACKLOG))
		rc = -errno;
	if (!rc)
		return fd;
	if (fd >= 0)
		close(fd);
	return err_set(err, rc, "metrics=%s: it cannot be listened to: %s%s", text, strerror(-rc),
		       rc == -EADDRINUSE ? "; say another one, or metrics=0 for any that is free"
					 : "");
}
