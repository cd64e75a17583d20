/*
 * serve.h: aggregations as metrics for those who ask while a run goes on (-x metrics=): an HTTP
 * server of one page, in the front's own loop. It waits for nobody: sockets do not block, what
 * clients send is bounded, slow ones are let go. Whoever connects is hostile until he has shown the
 * token, if one is asked for; without -x metricsremote nobody of another machine can connect.
 *
 * Opened before the fork, so that what is wrong is said before a target starts; the engine forgets
 * it. SIGIO says that there is something to do: the front has to catch it.
 */
#ifndef COMMAND_SERVE_SERVE_H
#define COMMAND_SERVE_SERVE_H

#include "base/strbuf.h"
#include "dlang/options.h"

struct server;

/* *server NULL: none is asked for. 0, or a negative errno with the sentence. */
int serve_open(const struct options *, const char *progname, struct server **, struct err *);
/* Engine: it is the front's. NULL is none, here and below. */
void serve_forget(struct server *);
/* Front, its signals are set: from now on SIGIO comes. */
void serve_start(struct server *);

/* Makes the page. */
typedef void serve_page_fn(void *arg, bool is_openmetrics, struct strbuf *out);
/* Takes, reads and answers what there is. Returns when to be called again at the latest
 * (CLOCK_MONOTONIC, ns; UINT64_MAX: whenever SIGIO has come). */
uint64_t serve_work(struct server *, serve_page_fn *, void *arg);
void serve_close(struct server *);

#endif
