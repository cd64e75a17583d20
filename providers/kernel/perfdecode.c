#include "providers/kernel/perfdecode.h"

uint64_t perf_record_time(const struct perf_event_header *h)
{
	const struct perf_trailer *t = (const void *)((const char *)h + h->size - sizeof(*t));

	if (h->type == PERF_RECORD_SAMPLE)
		return ((const struct perf_prefix *)(h + 1))->time_ns;
	return h->size >= sizeof(*h) + sizeof(*t) ? t->time_ns : 0;
}

struct cursor {
	const uint64_t *at, *end;
};

static uint64_t take(struct cursor *c)
{
	return c->at < c->end ? *c->at++ : 0;
}

static bool is_user_pc(uint64_t pc)
{
	return pc >= 4096 && pc < 1ULL << 47;
}

/* One chain of the kernel's frames, then the user's; marks between them say which
 * (docs/spec/providers.md §2.4). */
static void take_chain(struct cursor *c, struct perf_sample *sm, struct userstack *user)
{
	uint64_t n = take(c);
	const uint64_t **pcs = NULL;
	unsigned *npcs = NULL;

	n = MIN(n, (uint64_t)(c->end - c->at));
	for (; n; n--, c->at++) {
		if (*c->at >= (uint64_t)PERF_CONTEXT_MAX) {
			pcs = *c->at == (uint64_t)PERF_CONTEXT_KERNEL ? &sm->kpcs
			      : *c->at == (uint64_t)PERF_CONTEXT_USER ? &user->chain
								      : NULL;
			npcs = pcs == &sm->kpcs ? &sm->nkpcs : &user->nchain;
		} else if (pcs == &user->chain && !is_user_pc(*c->at)) {
			pcs = NULL; /* the frame pointer was none: the rest is nonsense */
		} else if (pcs) {
			if (!*npcs)
				*pcs = c->at;
			++*npcs;
		}
	}
}

/* Of a thread that has been in user space: none of a kernel thread. */
static void take_regs(struct cursor *c, struct userstack *user)
{
	uint64_t abi = take(c);

	if (abi == PERF_SAMPLE_REGS_ABI_NONE || c->end - c->at < USERSTACK_NREGS)
		return;
	if (abi == PERF_SAMPLE_REGS_ABI_64) /* tables are for those */
		userstack_set_regs(user, c->at);
	c->at += USERSTACK_NREGS;
}

static void take_stack(struct cursor *c, struct userstack *user)
{
	uint64_t room = take(c);

	if (!room || room % 8 || room / 8 >= (uint64_t)(c->end - c->at))
		return;
	user->stack = (const char *)c->at;
	user->len = MIN(c->at[room / 8], room);
}

bool perf_decode(const struct perf_event_header *h, uint64_t sample_type, struct perf_sample *sm,
		 struct userstack *user)
{
	const struct perf_prefix *pre = (const void *)(h + 1);
	struct cursor c = {(const uint64_t *)(pre + 1),
			   (const uint64_t *)((const char *)h + h->size)};

	if (h->size < sizeof(*h) + sizeof(*pre))
		return false;
	*sm = (struct perf_sample){
		.pid = (pid_t)pre->pid,
		.tid = (pid_t)pre->tid,
		.time_ns = pre->time_ns,
		.ip = pre->ip,
		.cpumode = h->misc & PERF_RECORD_MISC_CPUMODE_MASK,
		.user = user,
	};
	user->has_regs = false;
	user->stack = NULL;
	user->nchain = 0;
	if (sample_type & PERF_SAMPLE_ADDR)
		sm->addr = take(&c);
	sm->cpu = (int)(uint32_t)take(&c);
	if (sample_type & PERF_SAMPLE_PERIOD)
		take(&c);
	if (sample_type & PERF_SAMPLE_CALLCHAIN)
		take_chain(&c, sm, user);
	if (sample_type & PERF_SAMPLE_RAW && c.at < c.end) {
		sm->rawlen = (uint32_t)*c.at;
		sm->raw = (const char *)c.at + 4;
		sm->rawlen =
			MIN(sm->rawlen, (uint32_t)((const char *)c.end - (const char *)sm->raw));
		c.at += MIN((4 + (ptrdiff_t)sm->rawlen + 7) / 8, c.end - c.at);
	}
	if (sample_type & PERF_SAMPLE_REGS_USER)
		take_regs(&c, user);
	if (sample_type & PERF_SAMPLE_STACK_USER)
		take_stack(&c, user);
	return true;
}
