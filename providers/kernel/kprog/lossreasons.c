#include "providers/kernel/kprog/lossreasons.h"

#include <stdlib.h>

#include "providers/world/world.h"

#define NTOLD 4

struct loss_reasons {
	struct session *session;
	char *texts[NTOLD];
	unsigned n;
};

static void tell(void *arg)
{
	const struct loss_reasons *r = arg;

	for (unsigned i = 0; i < r->n && r->session->nlost_events; i++)
		session_message(r->session, MSG_ERR, true,
				"records were lost; they were made by the clause of %s",
				r->texts[i]);
}

static void release(void *arg)
{
	struct loss_reasons *r = arg;

	world_of(r->session)->reasons = NULL;
	for (unsigned i = 0; i < r->n; i++)
		free(r->texts[i]);
	free(r);
}

/* It has no events. */
static void gather(void *arg UNUSED)
{
}

static uint64_t peek(void *arg UNUSED)
{
	return UINT64_MAX;
}

/* Behind the sources whose losses it tells of. */
static const struct event_source source = {
	.gather = gather, .peek = peek, .stop = tell, .free = release};

void loss_reason_add(struct session *s, char *text)
{
	struct loss_reasons *r = world_of(s)->reasons;

	if (!r) {
		r = world_of(s)->reasons = xcalloc(1, sizeof(*r));
		r->session = s;
		session_add_source(s, &source, r);
	}
	if (r->n < NTOLD)
		r->texts[r->n++] = text;
	else
		free(text);
}
