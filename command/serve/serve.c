#include "command/serve/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/gzip.h"
#include "command/serve/address.h"
#include "command/serve/http.h"

#define MAX_CLIENTS 8		 /* others wait in the kernel */
#define READ_NS	    5000000000U	 /* for a request */
#define WRITE_NS    10000000000U /* for taking the answer */
#define LINGER_NS   1000000000U	 /* for closing, once it has been sent */
#define MAX_TOKEN   4096

struct client {
	enum { CLIENT_NONE, CLIENT_READS, CLIENT_IS_ANSWERED, CLIENT_LINGERS } state;
	int fd;
	uint64_t until_ns;
	struct strbuf bytes; /* of the request, then of the answer */
	size_t sent;
};

struct server {
	int fd;
	struct address address;
	char *token; /* NULL: none is asked for */
	size_t ntoken;
	struct client clients[MAX_CLIENTS];
	serve_page_fn *page;
	void *page_arg;
};

/* ---- opening ---- */

static int read_token(const char *path, struct server *v, struct err *err)
{
	char buf[MAX_TOKEN + 1];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, sizeof(buf));
	int rc = n < 0 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	if (rc)
		return err_set(err, rc, "metricstoken=%s: it cannot be read: %s", path,
			       strerror(-rc));
	while (n > 0 && (buf[n - 1] == '\n' || buf[n - 1] == '\r'))
		n--;
	if (n == 0 || n > MAX_TOKEN || memchr(buf, '\n', (size_t)n) || memchr(buf, '\0', (size_t)n))
		return err_set(err, -EINVAL,
			       "metricstoken=%s: one line of 1 to %d characters is needed", path,
			       MAX_TOKEN);
	v->token = xmalloc((size_t)n);
	memcpy(v->token, buf, (size_t)n);
	v->ntoken = (size_t)n;
	return 0;
}

static int check_remote(const struct options *o, const struct server *v, const char *text,
			struct err *err)
{
	if (v->address.is_loopback || opt_on(o, OPT_METRICSREMOTE))
		return 0;
	return err_set(
		err, -EACCES,
		"metrics=%s: it would be open to other machines, which could read all keys; use "
		"-x metricsremote, or metrics=PORT and ssh -L PORT:127.0.0.1:PORT",
		text);
}

/* Where the kernel has chosen the port. */
static void say_port(const struct server *v, const char *progname)
{
	struct address a = v->address;
	socklen_t n = sizeof(a.room);
	in_port_t port;

	if (a.any.sa_family == AF_UNIX || ((const struct sockaddr_in *)&a.room)->sin_port)
		return; /* sin6_port is at the same place (ip(7), ipv6(7)) */
	if (getsockname(v->fd, &a.any, &n))
		return;
	port = ntohs(((const struct sockaddr_in *)&a.room)->sin_port);
	fprintf(stderr, "%s: metrics are at http://%s:%u/metrics\n", progname, a.host, port);
}

int serve_open(const struct options *o, const char *progname, struct server **server,
	       struct err *err)
{
	const char *text = o->text[OPT_METRICS], *token = o->text[OPT_METRICSTOKEN];
	struct server *v;
	int rc;

	*server = NULL;
	if (!text)
		return 0;
	v = xcalloc(1, sizeof(*v));
	rc = address_parse(text, &v->address, err);
	if (!rc)
		rc = check_remote(o, v, text, err);
	if (!rc && token)
		rc = read_token(token, v, err);
	if (!rc) {
		v->fd = address_listen(&v->address, text, err);
		rc = MIN(v->fd, 0);
	}
	if (rc) {
		free(v->token);
		free(v);
		return rc;
	}
	say_port(v, progname);
	for (unsigned i = 0; i < MAX_CLIENTS; i++)
		strbuf_init(&v->clients[i].bytes);
	*server = v;
	return 0;
}

static void make_async(int fd)
{
	fcntl(fd, F_SETOWN, getpid());
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC | O_NONBLOCK);
}

void serve_start(struct server *v)
{
	if (v)
		make_async(v->fd);
}

/* ---- answers ---- */

static bool is_our_host(const struct server *v, const struct http_text *host)
{
	static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};

	if (!*v->address.host || v->address.is_wildcard || !host->n)
		return true;
	for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
		if (http_host_is(host, names[i]))
			return true;
	return http_host_is(host, v->address.host);
}

/* A page of another site that a browser shows must not read ours under a name of its own: Host. */
static int refusal(const struct server *v, const struct http_request *req)
{
	if (!is_our_host(v, &req->host))
		return 421;
	if (v->token && !http_bearer_is(&req->authorization, v->token, v->ntoken))
		return 401;
	return req->path.n == 8 && !memcmp(req->path.s, "/metrics", 8) ? 0 : 404;
}

static void add_page(const struct server *v, const struct http_request *req, struct strbuf *out)
{
	struct strbuf page, packed;
	bool is_gzip;

	strbuf_init(&page);
	strbuf_init(&packed);
	v->page(v->page_arg, req->takes_openmetrics, &page);
	is_gzip = req->takes_gzip && gzip_add(&packed, &page);
	http_add_head(out, 200,
		      req->takes_openmetrics
			      ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
			      : "text/plain; version=0.0.4; charset=utf-8",
		      is_gzip, is_gzip ? packed.len : page.len);
	if (!req->is_head)
		strbuf_add(out, is_gzip ? packed.s : page.s, is_gzip ? packed.len : page.len);
	strbuf_release(&page);
	strbuf_release(&packed);
}

/* status 0: the page. */
static void begin_answer(const struct server *v, struct client *c, int status,
			 const struct http_request *req)
{
	struct strbuf answer;

	strbuf_init(&answer);
	if (status)
		http_add_head(&answer, status, NULL, false, 0);
	else
		add_page(v, req, &answer);
	strbuf_release(&c->bytes);
	c->bytes = answer;
	c->sent = 0;
	c->state = CLIENT_IS_ANSWERED;
	c->until_ns = now_mono() + WRITE_NS;
}

/* ---- clients ---- */

static void let_go(struct client *c)
{
	close(c->fd);
	strbuf_release(&c->bytes);
	strbuf_init(&c->bytes);
	c->state = CLIENT_NONE;
}

/* False: nothing more is there now. */
static bool is_waiting(ssize_t n)
{
	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

static void read_request(const struct server *v, struct client *c)
{
	struct http_request req;
	char buf[HTTP_REQUEST_MAX];
	ssize_t n;
	int status = -1;

	while (status < 0) {
		n = read(c->fd, buf, sizeof(buf) - MIN(c->bytes.len, sizeof(buf) - 1));
		if (is_waiting(n))
			return;
		if (n <= 0) {
			let_go(c);
			return;
		}
		strbuf_add(&c->bytes, buf, (size_t)n);
		status = http_parse(c->bytes.s, c->bytes.len, &req);
	}
	begin_answer(v, c, status ? status : refusal(v, &req), &req);
}

static void send_answer(struct client *c)
{
	while (c->sent < c->bytes.len) {
		ssize_t n = send(c->fd, c->bytes.s + c->sent, c->bytes.len - c->sent, MSG_NOSIGNAL);

		if (is_waiting(n))
			return;
		if (n <= 0) {
			let_go(c);
			return;
		}
		c->sent += (size_t)n;
	}
	/* what it has sent beyond its request is taken, or the answer would be lost by a reset */
	shutdown(c->fd, SHUT_WR);
	c->state = CLIENT_LINGERS;
	c->until_ns = now_mono() + LINGER_NS;
}

static void take_rest(struct client *c)
{
	char buf[4096];
	unsigned rounds = 16;
	ssize_t n;

	do {
		n = read(c->fd, buf, sizeof(buf));
	} while (n > 0 && --rounds);
	if (!is_waiting(n))
		let_go(c);
}

static void work_on(const struct server *v, struct client *c)
{
	if (c->state == CLIENT_READS)
		read_request(v, c);
	if (c->state == CLIENT_READS && now_mono() >= c->until_ns)
		begin_answer(v, c, 408, NULL);
	if (c->state == CLIENT_IS_ANSWERED)
		send_answer(c);
	if (c->state == CLIENT_LINGERS)
		take_rest(c);
	if (c->state != CLIENT_NONE && now_mono() >= c->until_ns)
		let_go(c);
}

/* False: nobody is there. */
static bool accept_into(const struct server *v, struct client *c)
{
	int fd = accept4(v->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return false;
	make_async(fd);
	c->fd = fd;
	c->state = CLIENT_READS;
	c->until_ns = now_mono() + READ_NS;
	return true;
}

uint64_t serve_work(struct server *v, serve_page_fn *page, void *arg)
{
	uint64_t due_ns = UINT64_MAX;

	if (!v)
		return due_ns;
	v->page = page;
	v->page_arg = arg;
	for (unsigned i = 0; i < MAX_CLIENTS; i++) {
		struct client *c = &v->clients[i];

		if (c->state == CLIENT_NONE && !accept_into(v, c))
			continue;
		work_on(v, c);
		if (c->state == CLIENT_NONE) /* the next one may be waiting */
			due_ns = 0;
		else
			due_ns = MIN(due_ns, c->until_ns);
	}
	return due_ns;
}

/* ---- the end ---- */

void serve_forget(struct server *v)
{
	if (v)
		close(v->fd);
}

void serve_close(struct server *v)
{
	if (!v)
		return;
	for (unsigned i = 0; i < MAX_CLIENTS; i++) {
		if (v->clients[i].state != CLIENT_NONE)
			let_go(&v->clients[i]);
		strbuf_release(&v->clients[i].bytes);
	}
	close(v->fd);
	if (v->address.any.sa_family == AF_UNIX)
		unlink(v->address.un.sun_path);
	free(v->token);
	free(v);
}
