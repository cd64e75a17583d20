/*
 * limits.c: what the options ask for and what there is: sizes are halved until they fit
 * (bufresize), rates kept within their bounds (docs/spec/dtrace-command.md §4.2, §7.2).
 */
#include <errno.h>
#include <unistd.h>

#include "dlang/session_priv.h"

#define SECOND 1000000000LL

/* 2097152 → "2m"; what is no whole power: "1000 bytes". */
static const char *size_text(struct arena *a, uint64_t n)
{
	static const char units[] = "kmgt";
	unsigned i = 0;

	while (n && n % 1024 == 0 && units[i]) {
		n /= 1024;
		i++;
	}
	return i ? arena_printf(a, "%llu%c", (unsigned long long)n, units[i - 1])
		 : arena_printf(a, "%llu bytes", (unsigned long long)n);
}

/* All that one option may take: a quarter of the shared mapping or half of the machine's memory. */
static uint64_t room_for_one(const struct session *s)
{
	uint64_t left = (uint64_t)(s->arena->end - s->arena->next) / 4;
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) / 2 * (uint64_t)sysconf(_SC_PAGESIZE);

	return MIN(left, memory);
}

static int limit_size(struct session *s, enum opt_id id, const char *what, uint64_t copies,
		      uint64_t room, struct err *err)
{
	struct options *o = &s->options;
	uint64_t asked = (uint64_t)opt(o, id), size = asked;

	while (size > room / MAX(copies, 1))
		size /= 2;
	if (size == asked)
		return 0;
	if (opt(o, OPT_BUFRESIZE) == BUFRESIZE_MANUAL)
		return err_set(err, -ENOMEM, "%s size of %s: Cannot allocate memory", what,
			       size_text(s->arena, asked));
	o->num[id] = (int64_t)size;
	if (!opt_on(o, OPT_QUIETRESIZE))
		session_message(s, MSG_ERR, false, "%s size lowered to %s", what,
				size_text(s->arena, size));
	return 0;
}

int session_limit_sizes(struct session *s, struct err *err)
{
	const struct {
		enum opt_id id;
		const char *what;
		uint64_t copies;
	} sizes[] = {
		{OPT_BUFSIZE, "buffer", (uint64_t)MAX(sysconf(_SC_NPROCESSORS_CONF), 1)},
		{OPT_AGGSIZE, "aggregation", 2},
		{OPT_SPECSIZE, "speculation", (uint64_t)opt(&s->options, OPT_NSPEC)},
		{OPT_DYNVARSIZE, "dynamic variable", 1},
		{OPT_SCRATCHSIZE, "scratch", 1},
	};
	uint64_t room = room_for_one(s);
	int rc = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(sizes) && rc == 0; i++)
		rc = limit_size(s, sizes[i].id, sizes[i].what, sizes[i].copies, room, err);
	return rc;
}

static const char *rate_text(struct arena *a, int64_t ns)
{
	if (ns && ns <= SECOND && SECOND % ns == 0)
		return arena_printf(a, "%lld hz", (long long)(SECOND / ns));
	if (ns % SECOND == 0)
		return arena_printf(a, "once every %lld seconds", (long long)(ns / SECOND));
	return arena_printf(a, "once every %lld nanoseconds", (long long)ns);
}

static void limit_rate(struct session *s, enum opt_id id, const char *what, int64_t least,
		       int64_t most)
{
	int64_t asked = opt(&s->options, id), ns = MIN(MAX(asked, least), most);

	if (ns == asked)
		return;
	s->options.num[id] = ns;
	session_message(s, MSG_ERR, false, "%s rate %s to %s", what,
			ns > asked ? "reduced" : "increased", rate_text(s->arena, ns));
}

void session_limit_rates(struct session *s)
{
	limit_rate(s, OPT_CLEANRATE, "cleaning", SECOND / 5000, 60 * SECOND);
	limit_rate(s, OPT_STATUSRATE, "status", 0, 10 * SECOND);
}
