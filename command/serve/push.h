/*
 * push.h: aggregations sent to a collector of OpenTelemetry while a run goes on and at its end (-x
 * otlp=): a client of HTTP/1.1 in the front's own loop. It waits for nobody: the socket does not
 * block, a collector that is slow, dead or hostile costs a message, and what it answers is bounded.
 * What is sent is cumulative, so that the next request makes up for one that was lost.
 *
 * Opened before the fork, so that what is wrong is said before a target starts. SIGIO says that
 * there is something to do: the front has to catch it.
 */
#ifndef COMMAND_SERVE_PUSH_H
#define COMMAND_SERVE_PUSH_H

#include "base/strbuf.h"
#include "dlang/options.h"

struct pusher;

/* *pusher NULL: nobody is to be sent to. 0, or a negative errno with the sentence: what is no
 * address, a name that is not known. */
int push_open(const struct options *, const char *progname, struct pusher **, struct err *);

/* Makes the body of a request. */
typedef void push_body_fn(void *arg, bool is_json, struct strbuf *out);
/* Front, from when tracing has begun. Sends when it is time, goes on with what has been begun.
 * Returns when to be called again at the latest (CLOCK_MONOTONIC, ns). NULL is none, here and
 * below: UINT64_MAX. */
uint64_t push_work(struct pusher *, push_body_fn *, void *arg);
/* Sends the last, and waits for the answer, a bounded time, or until is_impatient. False: it was
 * not taken, as has been said. */
bool push_end(struct pusher *, push_body_fn *, void *arg, bool (*is_impatient)(void *));
void push_free(struct pusher *);

#endif
