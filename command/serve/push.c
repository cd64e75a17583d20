#include "command/serve/push.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanname.h"
#include "base/clock.h"
#include "command/serve/httpanswer.h"

#define PORT	    "4318" /* of OTLP over HTTP */
#define PATH	    "/v1/metrics"
#define EXCHANGE_NS 5000000000U /* from the first byte to the last */
#define SHORTEST_NS 1000000
#define LOOK_MS	    100 /* at the end: at an impatient user */
#define ANSWER_MAX  65536

struct url {
	bool is_json;
	char *host; /* without brackets */
	char *port;
	char *authority; /* as Host: has it */
	char *path;
};

struct pusher {
	const char *progname, *text; /* text: as -x otlp has it */
	uint64_t rate_ns, next_ns;   /* 0: the first has not been thought of */
	struct url url;
	struct sockaddr_storage to;
	socklen_t nto;
	int fd; /* -1: nothing is under way */
	uint64_t until_ns;
	struct strbuf request, answer;
	size_t sent;
	bool was_taken; /* the last one */
	char said[256]; /* what was said last; "": nothing */
	bool is_last;	/* none will follow */
};

/* ---- where ---- */

static int bad_url(const char *text, const char *why, struct err *err)
{
	return err_set(err, -EINVAL,
		       "otlp=%s: %s; say [otlp+json:]http://HOST[:PORT][/PATH], as "
		       "http://127.0.0.1:" PORT,
		       text, why);
}

static bool is_plain(const char *s)
{
	for (; *s; s++)
		if (*s <= ' ' || *s >= '\177')
			return false;
	return true;
}

static void free_url(struct url *u)
{
	free(u->host);
	free(u->port);
	free(u->authority);
	free(u->path);
}

/* HOST, HOST:PORT, [IPv6]:PORT */
static bool parse_authority(struct url *u, const char *s, size_t n)
{
	const char *end = s + n, *close = *s == '[' ? memchr(s, ']', n) : NULL;
	const char *colon = memchr(close ? close : s, ':', (size_t)(end - (close ? close : s)));
	const char *host_end = close ? close : colon ? colon : end;

	if (close)
		s++;
	u->host = strndup(s, (size_t)(host_end - s));
	u->port = colon ? strndup(colon + 1, (size_t)(end - colon) - 1) : strdup(PORT);
	if (close && close + 1 != (colon ? colon : end))
		return false;
	return *u->host && *u->port && strspn(u->port, "0123456789") == strlen(u->port) &&
	       strlen(u->port) <= 5 && atoi(u->port) <= UINT16_MAX;
}

static int parse_url(const char *text, struct url *u, struct err *err)
{
	const char *s = text;
	size_t n;

	if (!strncmp(s, "otlp+json:", 10)) {
		u->is_json = true;
		s += 10;
	}
	if (!strncmp(s, "https:", 6))
		return bad_url(
			text,
			"https is not spoken here: a collector on this machine takes http, and "
			"has the keys for what is beyond it",
			err);
	if (strncmp(s, "http://", 7) || !is_plain(s))
		return bad_url(text, "this is no URL of http", err);
	s += 7;
	n = strcspn(s, "/?#");
	u->authority = strndup(s, n);
	u->path = strdup(s[n] == '/' && s[n + 1] ? s + n : PATH);
	if (strpbrk(s, "?#@"))
		return bad_url(text, "a query, a fragment or a user has no place in it", err);
	return n && parse_authority(u, s, n) ? 0 : bad_url(text, "its host or port is none", err);
}

/* A name is looked up once. */
static int resolve(struct pusher *p, struct err *err)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
	struct addrinfo *found;
	int rc = getaddrinfo(p->url.host, p->url.port, &hints, &found);

	if (rc)
		return err_set(err, -ENOENT, "otlp=%s: %s: %s", p->text, p->url.host,
			       gai_strerror(rc));
	memcpy(&p->to, found->ai_addr, found->ai_addrlen);
	p->nto = found->ai_addrlen;
	freeaddrinfo(found);
	return 0;
}

int push_open(const struct options *o, const char *progname, struct pusher **pusher,
	      struct err *err)
{
	const char *text = o->text[OPT_OTLP];
	struct pusher *p;
	int rc;

	*pusher = NULL;
	if (!text)
		return 0;
	p = xcalloc(1, sizeof(*p));
	*p = (struct pusher){.progname = progname,
			     .text = text,
			     .rate_ns = (uint64_t)MAX(opt(o, OPT_OTLPRATE), SHORTEST_NS),
			     .fd = -1,
			     .was_taken = true};
	strbuf_init(&p->request);
	strbuf_init(&p->answer);
	rc = parse_url(text, &p->url, err);
	if (!rc)
		rc = resolve(p, err);
	if (rc)
		push_free(p);
	else
		*pusher = p;
	return rc;
}

void push_free(struct pusher *p)
{
	if (!p)
		return;
	if (p->fd >= 0)
		close(p->fd);
	free_url(&p->url);
	strbuf_release(&p->request);
	strbuf_release(&p->answer);
	free(p);
}

/* ---- what came of it ---- */

/* A collector that stays away is told of once. */
static void say(struct pusher *p, const char *why)
{
	if (!strcmp(p->said, why))
		return;
	snprintf(p->said, sizeof(p->said), "%s", why);
	fprintf(stderr, "%s: otlp=%s: %s\n", p->progname, p->text, why);
}

static void end_exchange(struct pusher *p, bool was_taken)
{
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
	p->was_taken = was_taken;
}

static void fail(struct pusher *p, const char *why)
{
	char text[sizeof(p->said)];

	snprintf(text, sizeof(text),
		 p->is_last ? "%s: the last values were not taken"
			    : "%s: what was to be sent goes with the next request",
		 why);
	end_exchange(p, false);
	say(p, text);
}

static void say_refused(struct pusher *p, const struct http_answer *a)
{
	char text[sizeof(p->said)],
		*copy = strndup(a->nreason ? a->reason : "", MIN(a->nreason, 150));
	char *clean = text_cleaned(copy);

	snprintf(text, sizeof(text), "the collector has refused %llu points: %s",
		 (unsigned long long)a->nrefused, clean);
	free(clean);
	free(copy);
	say(p, text);
}

/* All of the answer that will come. */
static void read_answer(struct pusher *p)
{
	struct http_answer a;
	char why[64];

	http_answer_read(p->answer.s, p->answer.len, !p->url.is_json, &a);
	if (!a.status) {
		fail(p, p->answer.len ? "what answers is no server of http"
				      : "it has closed the connection");
	} else if (a.status < 200 || a.status > 299) {
		snprintf(why, sizeof(why), "the collector answers %u", a.status);
		fail(p, why);
	} else {
		end_exchange(p, true);
		if (a.nrefused)
			say_refused(p, &a);
	}
}

/* ---- an exchange ---- */

static void make_request(struct pusher *p, push_body_fn *make, void *arg)
{
	struct strbuf body;

	strbuf_init(&body);
	make(arg, p->url.is_json, &body);
	strbuf_clear(&p->request);
	strbuf_clear(&p->answer);
	p->sent = 0;
	strbuf_addf(&p->request,
		    "POST %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: dtrace\r\nContent-Type: "
		    "application/%s\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n",
		    p->url.path, p->url.authority, p->url.is_json ? "json" : "x-protobuf",
		    body.len);
	strbuf_add(&p->request, body.s, body.len);
	strbuf_release(&body);
}

static void begin_exchange(struct pusher *p, push_body_fn *make, void *arg)
{
	p->fd = socket(p->to.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (p->fd < 0) {
		fail(p, strerror(errno));
		return;
	}
	fcntl(p->fd, F_SETOWN, getpid());
	fcntl(p->fd, F_SETFL, fcntl(p->fd, F_GETFL) | O_ASYNC);
	make_request(p, make, arg);
	p->until_ns = now_mono() + EXCHANGE_NS;
	if (connect(p->fd, (const struct sockaddr *)&p->to, p->nto) && errno != EINPROGRESS)
		fail(p, strerror(errno));
}

/* A call has done nothing: it is made again later, or the exchange has failed. */
static void wait_or_fail(struct pusher *p)
{
	/* ENOTCONN: it is being connected to */
	if (errno != EAGAIN && errno != EINTR && errno != ENOTCONN)
		fail(p, strerror(errno));
}

/* A refusal may come before all has been sent: then it is read. */
static void send_request(struct pusher *p)
{
	while (p->sent < p->request.len) {
		ssize_t n =
			send(p->fd, p->request.s + p->sent, p->request.len - p->sent, MSG_NOSIGNAL);

		if (n < 0 && errno != EPIPE) {
			wait_or_fail(p);
			return;
		}
		p->sent = n < 0 ? p->request.len : p->sent + (size_t)n;
	}
}

static void receive_answer(struct pusher *p)
{
	char buf[4096];
	ssize_t n = 1;

	while (p->answer.len < ANSWER_MAX && !http_answer_is_whole(p->answer.s, p->answer.len) &&
	       (n = recv(p->fd, buf, sizeof(buf), 0)) > 0)
		strbuf_add(&p->answer, buf, (size_t)n);
	if (p->answer.len >= ANSWER_MAX || n >= 0)
		read_answer(p);
	else if (errno != ECONNRESET || !p->answer.len)
		wait_or_fail(p);
	else
		read_answer(p);
}

static void go_on(struct pusher *p)
{
	int error = 0;
	socklen_t n = sizeof(error);

	if (p->fd >= 0 && getsockopt(p->fd, SOL_SOCKET, SO_ERROR, &error, &n) == 0 && error &&
	    error != EPIPE) {
		fail(p, strerror(error));
		return;
	}
	if (p->fd >= 0)
		send_request(p);
	if (p->fd >= 0 && p->sent == p->request.len)
		receive_answer(p);
	if (p->fd < 0 || now_mono() < p->until_ns)
		return;
	if (p->answer.len)
		read_answer(p);
	else
		fail(p, "the collector does not answer");
}

uint64_t push_work(struct pusher *p, push_body_fn *make, void *arg)
{
	const uint64_t now = now_mono();

	if (!p)
		return UINT64_MAX;
	if (!p->next_ns)
		p->next_ns = now + p->rate_ns;
	if (p->fd < 0 && now >= p->next_ns) {
		p->next_ns = now + p->rate_ns;
		begin_exchange(p, make, arg);
	}
	if (p->fd >= 0)
		go_on(p);
	return p->fd >= 0 ? MIN(p->until_ns, p->next_ns) : p->next_ns;
}

bool push_end(struct pusher *p, push_body_fn *make, void *arg, bool (*is_impatient)(void *))
{
	if (!p)
		return true;
	/* one that is under way has less than the last */
	end_exchange(p, true);
	p->is_last = true;
	begin_exchange(p, make, arg);
	while (p->fd >= 0) {
		struct pollfd wait = {.fd = p->fd,
				      .events = p->sent < p->request.len ? POLLOUT : POLLIN};

		if (is_impatient(NULL)) {
			fail(p, "nobody waits");
			break;
		}
		poll(&wait, 1, LOOK_MS);
		go_on(p);
	}
	return p->was_taken;
}
