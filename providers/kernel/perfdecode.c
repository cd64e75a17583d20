#include "providers/kernel/perfdecode.h"

#include <asm/perf_regs.h>
#include <sys/mman.h>

#include "base/procfile.h"

/* ---- by type ---- */

/* What is between the header and the trailer, if there is one. */
struct body {
	const struct perf_event_header *h;
	const uint32_t *words;
	size_t room;
};

static bool decode_sample(const struct body *b UNUSED, struct perf_record *r UNUSED)
{
	return true;
}

static bool decode_lost(const struct body *b, struct perf_record *r)
{
	memcpy(&r->lost, b->words + 2, sizeof(r->lost)); /* behind the identifier */
	return true;
}

static bool decode_lost_samples(const struct body *b, struct perf_record *r)
{
	memcpy(&r->lost, b->words, sizeof(r->lost));
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
	r->sw.is_out = b->h->misc & PERF_RECORD_MISC_SWITCH_OUT;
	r->sw.is_preempted = b->h->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	return true;
}

struct mmap {
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	char path[];
};

struct mmap2 {
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	union {
		struct {
			uint32_t dev_major, dev_minor;
			uint64_t ino, generation;
		};
		struct { /* PERF_RECORD_MISC_MMAP_BUILD_ID */
			uint8_t build_id_size, reserved[3], build_id[PERF_BUILD_ID];
		};
	};
	uint32_t prot, flags;
	char path[];
};

static bool decode_mmap(const struct body *b, struct perf_record *r)
{
	const struct mmap *m = (const void *)b->words;

	if (!memchr(m->path, 0, b->room - sizeof(*m)))
		return false;
	r->pid = (pid_t)m->pid;
	r->tid = (pid_t)m->tid;
	r->is_code = !(b->h->misc & PERF_RECORD_MISC_MMAP_DATA);
	r->mapping = (struct procspace_map){
		.start = m->addr,
		.end = m->addr + m->len,
		.file_off = m->pgoff,
		.path = m->path,
	};
	return true;
}

static bool decode_mmap2(const struct body *b, struct perf_record *r)
{
	const struct mmap2 *m = (const void *)b->words;
	struct procmap_file f;

	if (!memchr(m->path, 0, b->room - sizeof(*m)))
		return false;
	r->pid = (pid_t)m->pid;
	r->tid = (pid_t)m->tid;
	r->mapping_flags = m->flags;
	r->is_code = m->prot & PROT_EXEC;
	r->mapping = (struct procspace_map){
		.start = m->addr,
		.end = m->addr + m->len,
		.file_off = m->pgoff,
		.path = m->path,
	};
	if (b->h->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		r->build_id = m->build_id;
		r->build_id_size = MIN(m->build_id_size, sizeof(m->build_id));
		return true;
	}
	f = (struct procmap_file){m->dev_major, m->dev_minor, m->ino};
	procmap_original(&f);
	r->mapping.dev_major = f.dev_major;
	r->mapping.dev_minor = f.dev_minor;
	r->mapping.ino = f.ino;
	return true;
}

static const struct {
	size_t least; /* of the body */
	bool (*decode)(const struct body *, struct perf_record *);
} types[] = {
	[PERF_RECORD_SAMPLE] = {0, decode_sample},
	[PERF_RECORD_LOST] = {16, decode_lost},
	[PERF_RECORD_LOST_SAMPLES] = {8, decode_lost_samples},
	[PERF_RECORD_COMM] = {8, decode_comm},
	[PERF_RECORD_FORK] = {16, decode_task},
	[PERF_RECORD_EXIT] = {16, decode_task},
	[PERF_RECORD_SWITCH] = {0, decode_switch},
	[PERF_RECORD_SWITCH_CPU_WIDE] = {0, decode_switch},
	[PERF_RECORD_MMAP] = {sizeof(struct mmap), decode_mmap},
	[PERF_RECORD_MMAP2] = {sizeof(struct mmap2), decode_mmap2},
};

bool perf_decode_record(const struct perf_event_header *h, const struct perf_layout *l,
			struct perf_record *r)
{
	const size_t end = h->type == PERF_RECORD_SAMPLE ? 0 : perf_trailer_size(l);
	struct body b = {h, (const uint32_t *)(h + 1), h->size - sizeof(*h)};
	struct perf_place at;

	memset(r, 0, sizeof(*r));
	r->type = h->type;
	if (h->type >= ARRAY_SIZE(types) || !types[h->type].decode)
		return false;
	if (b.room < end + types[h->type].least)
		return false;
	b.room -= end;
	perf_place(l, h, &at);
	r->pid = at.pid;
	r->tid = at.tid;
	r->cpu = at.cpu;
	r->time_ns = at.time_ns;
	r->id = at.id;
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

/* Where no chain is recorded, the one frame that is known. */
static void take_ip(const struct perf_layout *l, const struct perf_event_header *h,
		    struct perf_sample *sm, struct userstack *user)
{
	const uint64_t *ip = (const uint64_t *)(const void *)(h + 1) +
			     !!(l->sample_type & PERF_SAMPLE_IDENTIFIER);

	if (sm->cpumode == PERF_RECORD_MISC_KERNEL) {
		sm->kpcs = ip;
		sm->nkpcs = 1;
	} else if (sm->cpumode == PERF_RECORD_MISC_USER && is_user_pc(sm->ip)) {
		user->chain = ip;
		user->nchain = 1;
	}
}

/* Registers that were not asked for are 0; without the stack pointer and the program counter
 * nothing can be done. */
static void set_regs(struct userstack *user, uint64_t mask, const uint64_t *v)
{
	uint64_t all[USERSTACK_NREGS] = {0};
	unsigned at = 0, n = 0;

	if (mask == USERSTACK_REGS) {
		userstack_set_regs(user, v);
		return;
	}
	if (~mask & (1U << PERF_REG_X86_SP | 1U << PERF_REG_X86_IP))
		return;
	for (unsigned i = 0; i < 64; i++) {
		if (USERSTACK_REGS >> i & 1)
			all[n++] = mask >> i & 1 ? v[at] : 0;
		at += mask >> i & 1;
	}
	userstack_set_regs(user, all);
}

/* Of a thread that has been in user space: none of a kernel thread. */
static void take_regs(struct cursor *c, uint64_t mask, struct userstack *user)
{
	uint64_t abi = take(c);
	const int n = __builtin_popcountll(mask);

	if (abi == PERF_SAMPLE_REGS_ABI_NONE || c->end - c->at < n)
		return;
	if (abi == PERF_SAMPLE_REGS_ABI_64) /* tables are for those */
		set_regs(user, mask, c->at);
	c->at += n;
}

static void take_stack(struct cursor *c, struct userstack *user)
{
	uint64_t room = take(c);

	if (!room || room % 8 || room / 8 >= (uint64_t)(c->end - c->at))
		return;
	user->stack = (const char *)c->at;
	user->len = MIN(c->at[room / 8], room);
}

/* Values of a counter, or of a group's. */
static void take_counts(struct cursor *c, uint64_t format, struct perf_sample *sm)
{
	const uint64_t n = format & PERF_FORMAT_GROUP ? take(c) : 1;
	const uint64_t *value = c->at;

	if (!(format & PERF_FORMAT_GROUP))
		take(c);
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		sm->enabled_ns = take(c);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		sm->running_ns = take(c);
	sm->stride = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
	if (!(format & PERF_FORMAT_GROUP)) {
		sm->counts = value;
		sm->ncounts = value < c->end;
		c->at += MIN((ptrdiff_t)sm->stride - 1, c->end - c->at);
		return;
	}
	sm->counts = c->at;
	sm->ncounts = (unsigned)MIN(n, (uint64_t)(c->end - c->at) / sm->stride);
	c->at += (size_t)sm->ncounts * sm->stride;
}

static void take_raw(struct cursor *c, struct perf_sample *sm)
{
	if (c->at >= c->end)
		return;
	sm->rawlen = (uint32_t)*c->at;
	sm->raw = (const char *)c->at + 4;
	sm->rawlen = MIN(sm->rawlen, (uint32_t)((const char *)c->end - (const char *)sm->raw));
	c->at += MIN((4 + (ptrdiff_t)sm->rawlen + 7) / 8, c->end - c->at);
}

static void take_branches(struct cursor *c, uint64_t branch_type)
{
	const uint64_t n = take(c), hw = branch_type & PERF_SAMPLE_BRANCH_HW_INDEX ? 1 : 0,
		       room = (uint64_t)(c->end - c->at);

	c->at += n > room / 3 ? room : MIN(hw + 3 * n, room);
}

void perf_decode(const struct perf_event_header *h, const struct perf_layout *l,
		 struct perf_sample *sm, struct userstack *user)
{
	const uint64_t st = l->sample_type;
	struct perf_place at;
	struct cursor c = {perf_place(l, h, &at),
			   (const uint64_t *)(const void *)((const char *)h + h->size)};

	*sm = (struct perf_sample){
		.pid = at.pid,
		.tid = at.tid,
		.cpu = at.cpu,
		.time_ns = at.time_ns,
		.ip = at.ip,
		.addr = at.addr,
		.cpumode = h->misc & PERF_RECORD_MISC_CPUMODE_MASK,
		.user = user,
	};
	user->has_regs = false;
	user->stack = NULL;
	user->nchain = 0;
	if (st & PERF_SAMPLE_PERIOD)
		sm->period = take(&c);
	if (st & PERF_SAMPLE_READ)
		take_counts(&c, l->read_format, sm);
	if (st & PERF_SAMPLE_CALLCHAIN)
		take_chain(&c, sm, user);
	else if (st & PERF_SAMPLE_IP && sm->ip)
		take_ip(l, h, sm, user);
	if (st & PERF_SAMPLE_RAW)
		take_raw(&c, sm);
	if (st & PERF_SAMPLE_BRANCH_STACK)
		take_branches(&c, l->branch_type);
	if (st & PERF_SAMPLE_REGS_USER)
		take_regs(&c, l->regs_user, user);
	if (st & PERF_SAMPLE_STACK_USER)
		take_stack(&c, user);
}

/* ---- groups of a recording ---- */

void groupread_init(struct groupread *g)
{
	hash_init(&g->counts);
}

void groupread_release(struct groupread *g)
{
	hash_release(&g->counts);
}

bool groupread_has_members(const struct perfdata_event *e)
{
	const uint64_t format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;

	return e->layout.sample_type & PERF_SAMPLE_READ &&
	       (e->layout.read_format & format) == format;
}

/* By how much that counter has grown since it was read last. */
static uint64_t growth(struct groupread *g, const struct perfdata *file, const uint64_t *count)
{
	const uint64_t key = hash_u64((uintptr_t)file) ^ hash_u64(count[1]);
	const uint64_t last = (uintptr_t)hash_get(&g->counts, key);

	if (count[0] <= last)
		return 0;
	hash_put(&g->counts, key, (void *)(uintptr_t)count[0]);
	return count[0] - last;
}

void groupread_each(struct groupread *g, const struct perfdata_record *r,
		    const struct perf_sample *of,
		    void (*fn)(void *arg, struct perfdata_event *, const struct perf_sample *),
		    void *arg)
{
	for (unsigned i = 0; i < of->ncounts; i++) {
		const uint64_t *count = of->counts + (size_t)i * of->stride;
		struct perfdata_event *e = perfdata_event_of_id(r->file, count[1]);
		struct perf_sample sm = *of;

		if (!e || e == r->event || e->attr.type == PERF_TYPE_TRACEPOINT)
			continue;
		sm.period = growth(g, r->file, count);
		if (!sm.period)
			continue;
		sm.counts = NULL;
		sm.ncounts = 0;
		sm.raw = NULL;
		sm.rawlen = 0;
		fn(arg, e, &sm);
	}
}
