#include "providers/system/tracepoints/tprewrite.h"

#include "providers/rewrite/recrewrite.h"
#include "providers/system/tracepoints/tptypes.h"

static struct recrewrite *rewriting(const struct tpcopied *c)
{
	return world_of(c->session)->rewrite;
}

/* Where something of the sample lies in it. */
static uint32_t offset_of(const struct perf_sample *sm, const char *at)
{
	return (uint32_t)(at - (const char *)sm->raw);
}

/* Texts are compared as far as clauses could see them. */
static void take_text(const struct tpcopied *c, const struct perf_sample *sm,
		      const struct tpfield *f, const char *now)
{
	const uint32_t room = tpfield_room(c->session, f);
	size_t len, all;
	const char *old = tpfield_bytes(f, sm->raw, sm->rawlen, &len);

	if (!old)
		return;
	len = MIN(len, (size_t)room - 1);
	if (strnlen(now, room) == len && memcmp(now, old, len) == 0)
		return;
	tpfield_place(f, sm->raw, sm->rawlen, &all);
	recrewrite_text(rewriting(c),
			(struct recrewrite_text){f->offset,
						 f->place == TP_REL_LOC ? f->offset + 4 : 0,
						 offset_of(sm, old), (uint32_t)all},
			now);
}

static void take_bytes(const struct tpcopied *c, const struct perf_sample *sm,
		       const struct tpfield *f, const char *now)
{
	size_t len;
	const char *old = tpfield_place(f, sm->raw, sm->rawlen, &len);

	if (old && now && memcmp(now, old, len) != 0)
		recrewrite_bytes(rewriting(c), offset_of(sm, old), now, (uint32_t)len);
}

void tprewrite_take(const struct tpcopied *c, const struct perf_sample *sm)
{
	const bool is_dynamic = tpformat_is_dynamic(c->format);
	const char *view = c->bytes + (is_dynamic ? ROUND_UP(c->n, 8) : TP_COMMON_SIZE);
	uint32_t at = tpformat_fixed_size(c->format);
	size_t len;

	for (unsigned i = 0; i < c->format->nfields; i++) {
		const struct tpfield *f = &c->format->fields[i];
		const uint32_t room = tpfield_room(c->session, f);

		if (!room)
			take_bytes(c, sm, f, view + f->offset - TP_COMMON_SIZE);
		else if (tpfield_is_text(f))
			take_text(c, sm, f, view + at);
		else /* clauses change it where it leads to */
			take_bytes(c, sm, f, tpfield_place(f, c->bytes, c->n, &len));
		at += room;
	}
}
