#include "base/stage.h"

#include "base/clock.h"

/* One per process by nature: it says what the process is at. */
static struct stages *shared;
static stage_fn *tell;
static void *tell_arg;

void stage_share(struct stages *s, stage_fn *told, void *arg)
{
	shared = s;
	tell = told;
	tell_arg = arg;
}

static struct stage_count *current(void)
{
	return shared && shared->now ? &shared->counts[shared->now] : NULL;
}

static void changed(bool is_hidden)
{
	if (tell)
		tell(tell_arg, is_hidden);
}

void stage_begin(enum stage_id which, uint64_t of)
{
	struct stage_count *c;

	if (!shared)
		return;
	c = &shared->counts[which];
	c->done = 0;
	c->of = of;
	c->of_what = NULL;
	c->since_ns = now_mono();
	shared->now = which;
	changed(false);
}

void stage_reach(uint64_t done, uint64_t of, const char *of_what)
{
	struct stage_count *c = current();

	if (!c)
		return;
	c->done = done;
	c->of = of;
	c->of_what = of_what;
	changed(false);
}

void stage_step(void)
{
	struct stage_count *c = current();

	if (!c)
		return;
	c->done = c->done + 1; /* there is one that writes */
	changed(false);
}

void stage_end(void)
{
	struct stage_count *c = current();

	if (!c)
		return;
	if (c->of)
		c->done = c->of;
	shared->now = STAGE_NONE;
	changed(false);
}

void stage_hide(void)
{
	changed(true);
}
