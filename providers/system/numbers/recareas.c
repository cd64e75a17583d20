#include "providers/system/numbers/recareas.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/hash.h"
#include "providers/kernel/bpfrec.h"

#define PAGE_SIZE_ 4096U
#define BRK_KIND   ((uint64_t)(PROT_READ | PROT_WRITE) << 16 | MAP_PRIVATE | MAP_ANONYMOUS)

/* A call that has begun: what its return is told without. */
struct begun {
	unsigned nr;
	uint64_t args[6];
};

struct recareas {
	recareas_fn *fn;
	void *arg;
	bool are_freed;	     /* what is told of */
	struct hash threads; /* what they are in the midst of: struct begun */
	struct hash breaks;  /* of processes: where their heap ends, as brk() has told last */
};

static uint64_t pages(uint64_t bytes)
{
	return ROUND_UP(bytes, PAGE_SIZE_);
}

static void tell(const struct recareas *r, struct event *ev, bool is_freed, uint64_t addr,
		 uint64_t size, uint64_t kind)
{
	const struct recarea a = {.addr = addr, .size = size, .kind = kind};

	if (size && is_freed == r->are_freed)
		r->fn(r->arg, &a, ev);
}

static uint64_t kind_of(uint64_t prot, uint64_t flags)
{
	return prot << 16 | (flags & 0xffff);
}

/* What it was before is what the process was told last: of one that was there before the recording
 * the first call tells that alone. A call that fails tells where the heap ends, too. */
static void brk_returns(struct recareas *r, struct event *ev, uint64_t asked, uint64_t now)
{
	const uint64_t pid = (uint64_t)ev->pid, old = (uintptr_t)hash_get(&r->breaks, pid);

	if (now)
		hash_put(&r->breaks, pid, (void *)(uintptr_t)now);
	if (!old || now != asked)
		return;
	if (pages(now) > pages(old))
		tell(r, ev, false, pages(old), pages(now) - pages(old), BRK_KIND);
	else
		tell(r, ev, true, pages(now), pages(old) - pages(now), BRK_KIND);
}

static void mremap_returns(const struct recareas *r, struct event *ev, const struct begun *b,
			   uint64_t addr)
{
	const uint64_t old = pages(b->args[1]), now = pages(b->args[2]);

	if (now > old)
		tell(r, ev, false, addr + old, now - old, 0);
	else
		tell(r, ev, true, addr + now, old - now, 0);
}

static void returns(struct recareas *r, struct recorded_call *c, const struct begun *b)
{
	const uint64_t result = (uint64_t)c->result;

	switch (b->nr) {
	case SYS_mmap:
		tell(r, &c->ev, false, result, pages(b->args[1]), kind_of(b->args[2], b->args[3]));
		break;
	case SYS_munmap:
		tell(r, &c->ev, true, b->args[0], pages(b->args[1]), 0);
		break;
	case SYS_madvise:
		tell(r, &c->ev, true, b->args[0], pages(b->args[1]), BPF_PF_DONTNEED);
		break;
	case SYS_mremap:
		mremap_returns(r, &c->ev, b, result);
		break;
	case SYS_brk:
		brk_returns(r, &c->ev, b->args[0], result);
		break;
	case SYS_execve:
	case SYS_execveat: /* another heap */
		hash_del(&r->breaks, (uint64_t)c->ev.pid);
		break;
	}
}

static const unsigned numbers[] = {SYS_mmap, SYS_munmap, SYS_mremap,  SYS_madvise,
				   SYS_brk,  SYS_execve, SYS_execveat};

static bool is_told(const struct recorded_call *c)
{
	return c->nr != SYS_madvise || c->args[2] == MADV_DONTNEED ||
	       c->args[2] == MADV_DONTNEED_LOCKED;
}

static void on_call(void *arg, struct recorded_call *c)
{
	struct recareas *r = arg;
	struct begun *b = hash_del(&r->threads, (uint64_t)c->ev.tid);

	if (!c->is_entry) {
		if (b && b->nr == c->nr && !recorded_call_failed(c))
			returns(r, c, b);
	} else if (is_told(c)) {
		struct begun *new = xmalloc(sizeof(*new));

		new->nr = c->nr;
		memcpy(new->args, c->args, sizeof(new->args));
		hash_put(&r->threads, (uint64_t)c->ev.tid, new);
	}
	free(b);
}

struct recareas *recareas_new(bool are_freed, recareas_fn *fn, void *arg)
{
	struct recareas *r = xcalloc(1, sizeof(*r));

	r->are_freed = are_freed;
	r->fn = fn;
	r->arg = arg;
	hash_init(&r->threads);
	hash_init(&r->breaks);
	return r;
}

int recareas_listen(struct recareas *r, struct world *w, unsigned flags, struct err *err)
{
	struct call_listener l = {
		.is_entry = true,
		.numbers = numbers,
		.n = ARRAY_SIZE(numbers),
		.flags = flags,
		.fn = on_call,
		.arg = r,
	};
	int rc = call_tracepoints_listen(w, &l, err);

	l.is_entry = false;
	return rc < 0 ? rc : call_tracepoints_listen(w, &l, err);
}

void recareas_free(struct recareas *r)
{
	struct begun *b;

	if (!r)
		return;
	for (size_t i = 0; (b = hash_each(&r->threads, &i, NULL));)
		free(b);
	hash_release(&r->threads);
	hash_release(&r->breaks);
	free(r);
}
