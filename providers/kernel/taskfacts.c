#include "providers/kernel/taskfacts.h"

#include <string.h>

#define MAX_STEPS  3
#define ADDR32	   29  /* TIF_ADDR32 (asm/thread_info.h) */
#define USUAL_PRIO 120 /* of nice 0 */

enum value {
	AS_IT_IS,
	AS_NICE,    /* of a static priority */
	AS_IS_64,   /* of the flags of the thread */
	AS_START,   /* of a time since the machine began; the next row too */
	AS_32_BITS, /* the lower ones */
};

/* From struct task_struct on: each step is a member of what the one before points to, or the n-th
 * element of it. Of a structure the first 4 or 8 bytes are meant. */
static const struct fact {
	enum procnum row;
	enum value value;
	struct {
		const char *in, *member;
		unsigned nth;
		unsigned size; /* 8 if there is another step */
	} steps[MAX_STEPS];
} facts[] = {
	{PROCNUM_NLWP,
	 AS_IT_IS,
	 {{"struct task_struct", "signal", 0, 8}, {"struct signal_struct", "nr_threads", 0, 4}}},
	{PROCNUM_PGID,
	 AS_IT_IS,
	 {{"struct task_struct", "signal", 0, 8},
	  {"struct signal_struct", "pids", 2, 8},
	  {"struct pid", "numbers", 0, 4}}},
	{PROCNUM_SID,
	 AS_IT_IS,
	 {{"struct task_struct", "signal", 0, 8},
	  {"struct signal_struct", "pids", 3, 8},
	  {"struct pid", "numbers", 0, 4}}},
	{PROCNUM_EUID,
	 AS_IT_IS,
	 {{"struct task_struct", "cred", 0, 8}, {"struct cred", "euid", 0, 4}}},
	{PROCNUM_EGID,
	 AS_IT_IS,
	 {{"struct task_struct", "cred", 0, 8}, {"struct cred", "egid", 0, 4}}},
	{PROCNUM_START_SEC,
	 AS_START,
	 {{"struct task_struct", "group_leader", 0, 8},
	  {"struct task_struct", "start_boottime", 0, 8}}},
	{PROCNUM_IS64, AS_IS_64, {{"struct task_struct", "thread_info", 0, 8}}},
	{PROCNUM_LWP_PRI, AS_IT_IS, {{"struct task_struct", "prio", 0, 4}}},
	{PROCNUM_LWP_NICE, AS_NICE, {{"struct task_struct", "static_prio", 0, 4}}},
	{PROCNUM_LWP_AFFINITY,
	 AS_32_BITS,
	 {{"struct task_struct", "cpus_ptr", 0, 8}, {"struct cpumask", "bits", 0, 8}}},
};
#define NFACTS ARRAY_SIZE(facts)

static const struct fact parent = {
	.value = AS_IT_IS,
	.steps = {{"struct task_struct", "real_parent", 0, 8},
		  {"struct task_struct", "tgid", 0, 4}},
};
#define PARENT NFACTS /* its place in taskfacts.piece */

_Static_assert(NFACTS < TASKFACTS_MAX, "a fact has no place");

/* ---- asking ---- */

static bool is_wanted(uint32_t rows, const struct fact *f)
{
	uint32_t is_of = 1U << f->row;

	if (f->value == AS_START)
		is_of |= 1U << PROCNUM_START_NSEC;
	return rows & is_of;
}

/* The number of a piece that there may be already; -1: there is no room. */
static int add_piece(struct capture *c, const struct capture_mem *m)
{
	for (unsigned i = 0; i < c->nmem; i++) {
		const struct capture_mem *had = &c->mem[i];

		if (had->base == m->base && had->index == m->index && had->off == m->off &&
		    had->len >= m->len && !had->is_string)
			return (int)i;
	}
	if (c->nmem == CAPTURE_KERNEL_MAX)
		return -1;
	c->mem[c->nmem] = *m;
	return (int)c->nmem++;
}

/* 1 + the last piece of the chain; 0: it cannot be followed. */
static uint8_t add_chain(struct capture *c, struct kernel_btf *btf, const struct fact *f)
{
	struct capture_mem piece = {.base = MEM_THREAD};
	int at = -1;

	for (unsigned i = 0; i < MAX_STEPS && f->steps[i].in; i++) {
		const struct type *in = kernel_btf_type(btf, f->steps[i].in);
		struct type_member m;

		if (!in || !kernel_btf_member(btf, in, f->steps[i].member, &m))
			return 0;
		piece.off = (int64_t)(m.bit_offset / 8 + 8ULL * f->steps[i].nth);
		piece.len = f->steps[i].size;
		at = add_piece(c, &piece);
		if (at < 0)
			return 0;
		piece.base = MEM_PIECE;
		piece.index = (unsigned)at;
	}
	return (uint8_t)(at + 1);
}

void taskfacts_add(struct taskfacts *tf, struct capture *c, struct kernel_btf *btf,
		   bool with_parent)
{
	for (unsigned i = 0; btf && i < NFACTS; i++)
		if (!tf->piece[i] && is_wanted(c->procnums, &facts[i]))
			tf->piece[i] = add_chain(c, btf, &facts[i]);
	if (btf && with_parent && !tf->piece[PARENT])
		tf->piece[PARENT] = add_chain(c, btf, &parent);
}

/* ---- what was read ---- */

static bool get(const struct taskfacts *tf, unsigned i, const struct pieces_read *r, int64_t *v)
{
	unsigned at = tf->piece[i];
	int32_t word;

	if (!at-- || at >= r->capture->nmem || !(r->got & 1U << at))
		return false;
	if (r->capture->mem[at].len >= 8) {
		memcpy(v, r->bytes + r->at[at], sizeof(*v));
		return true;
	}
	memcpy(&word, r->bytes + r->at[at], sizeof(word));
	*v = word;
	return true;
}

static void tell(struct procfacts *to, enum procnum row, int64_t v)
{
	to->known |= 1U << row;
	to->v[row] = v;
}

static void convert(const struct fact *f, int64_t v, struct procfacts *to)
{
	switch (f->value) {
	case AS_IT_IS:
		break;
	case AS_NICE:
		v -= USUAL_PRIO;
		break;
	case AS_IS_64:
		v = !(v >> ADDR32 & 1);
		break;
	case AS_32_BITS:
		v = (uint32_t)v;
		break;
	case AS_START:
		v = psinfo_start_ns((uint64_t)v);
		tell(to, PROCNUM_START_NSEC, v % 1000000000);
		v /= 1000000000;
		break;
	}
	tell(to, f->row, v);
}

pid_t taskfacts_get(const struct taskfacts *tf, const struct pieces_read *r, struct procfacts *to)
{
	int64_t v;

	to->known = 0;
	for (unsigned i = 0; i < NFACTS; i++)
		if (get(tf, i, r, &v))
			convert(&facts[i], v, to);
	return get(tf, PARENT, r, &v) ? (pid_t)v : 0;
}
