#include "providers/kernel/perfdecode.h"

uint64_t perf_record_time(const struct perf_event_header *h)
{
	const struct perf_trailer *t = (const void *)((const char *)h + h->size - sizeof(*t));

	if (h->type == PERF_RECORD_SAMPLE)
		return h->size >= sizeof(*h) + sizeof(struct perf_prefix)
			       ? ((const struct perf_prefix *)(h + 1))->time_ns
			       : 0;
	return h->size >= sizeof(*h) + sizeof(*t) ? t->time_ns : 0;
}

/* ---- by type ---- */

/* What is between the header and the trailer, if there is one. */
struct body {
	const struct perf_event_header *h;
	const uint32_t *words;
	size_t room;
};

static bool decode_sample(const struct body *b, struct perf_record *r)
{
	const struct perf_prefix *pre = (const void *)b->words;

	r->id = pre->id;
	r->pid = (pid_t)pre->pid;
	r->tid = (pid_t)pre->tid;
	return true;
}

static bool decode_lost(const struct body *b, struct perf_record *r)
{
	memcpy(&r->lost, b->words + 2, sizeof(r->lost)); /* behind the identifier */
	return true;
}

static bool decode_comm(const struct body *b, struct perf_record *r)
{
	r->pid = (pid_t)b->words[0];
	r->tid = (pid_t)b->words[1];
	r->comm.is_exec = b->h->misc & PERF_RECORD_MISC_COMM_EXEC;
	memcpy(r->comm.name, b->words + 2, MIN(sizeof(r->comm.name) - 1, b->room - 8));
	return true;
}

static bool decode_task(const struct body *b, struct perf_record *r)
{
	r->pid = (pid_t)b->words[0];
	r->parent.pid = (pid_t)b->words[1];
	r->tid = (pid_t)b->words[2];
	r->parent.tid = (pid_t)b->words[3];
	return true;
}

static bool decode_switch(const struct body *b, struct perf_record *r)
{
	const struct perf_trailer *t = (const void *)((const char *)b->h + b->h->size - sizeof(*t));

	r->pid = (pid_t)t->pid;
	r->tid = (pid_t)t->tid;
	r->sw.is_out = b->h->misc & PERF_RECORD_MISC_SWITCH_OUT;
	r->sw.is_preempted = b->h->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	return true;
}

struct mmap2 {
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	uint32_t dev_major, dev_minor;
	uint64_t ino, generation;
	uint32_t prot, flags;
	char path[];
};

static bool decode_mmap2(const struct body *b, struct perf_record *r)
{
	const struct mmap2 *m = (const void *)b->words;

	if (!memchr(m->path, 0, b->room - sizeof(*m)))
		return false;
	r->pid = (pid_t)m->pid;
	r->tid = (pid_t)m->tid;
	r->mapping_flags = m->flags;
	r->mapping = (struct procspace_map){
		.start = m->addr,
		.end = m->addr + m->len,
		.file_off = m->pgoff,
		.dev_major = m->dev_major,
		.dev_minor = m->dev_minor,
		.ino = m->ino,
		.path = m->path,
	};
	return true;
}

static const struct {
	size_t least; /* of the body */
	bool has_trailer;
	bool (*decode)(const struct body *, struct perf_record *);
} types[] = {
	[PERF_RECORD_SAMPLE] = {sizeof(struct perf_prefix), false, decode_sample},
	[PERF_RECORD_LOST] = {16, false, decode_lost},
	[PERF_RECORD_COMM] = {8, true, decode_comm},
	[PERF_RECORD_FORK] = {16, false, decode_task},
	[PERF_RECORD_EXIT] = {16, false, decode_task},
	[PERF_RECORD_SWITCH] = {0, true, decode_switch},
	[PERF_RECORD_SWITCH_CPU_WIDE] = {0, true, decode_switch},
	[PERF_RECORD_MMAP2] = {sizeof(struct mmap2), true, decode_mmap2},
};

bool perf_decode_record(const struct perf_event_header *h, struct perf_record *r)
{
	struct body b = {h, (const uint32_t *)(h + 1), 0};
	size_t around = sizeof(*h);

	memset(r, 0, sizeof(*r));
	r->type = h->type;
	if (h->type >= ARRAY_SIZE(types) || !types[h->type].decode)
		return false;
	around += types[h->type].has_trailer ? sizeof(struct perf_trailer) : 0;
	if (h->size < around + types[h->type].least)
		return false;
	b.room = h->size - around;
	r->time_ns = perf_record_time(h);
	return types[h->type].decode(&b, r);
}

/* ---- samples ---- */

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

/* Of a group: how many, two times, then the values. */
static void take_counts(struct cursor *c, unsigned stride, struct perf_sample *sm)
{
	uint64_t n = take(c);

	sm->enabled_ns = take(c);
	sm->running_ns = take(c);
	sm->stride = stride;
	sm->counts = c->at;
	sm->ncounts = (unsigned)MIN(n, (uint64_t)(c->end - c->at) / stride);
	c->at += (size_t)sm->ncounts * stride;
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
	if (sample_type & PERF_SAMPLE_READ)
		take_counts(&c, sample_type & PERF_READ_HAS_LOST ? 2 : 1, sm);
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
