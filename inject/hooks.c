#include "inject/hooks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/hash.h"
#include "hook/hook_proto.h"
#include "inject/emit.h"

#define AREA_SIZE  (1U << 20)
#define MAX_SPACE  (512U << 20) /* of addresses; memory is taken where something counts */
#define MIN_ROOM   65536U	/* counters: libraries come later */
#define MIN_BLOCKS 16
#define MAX_BLOCKS 4096
#define REACH	   0x7ff00000ULL
#define LOW_LIMIT  0x7fff0000ULL /* counters are addressed by 31 bits */

/* Memory for stubs near some module, filled here and written at the next commit. */
struct area {
	taddr_t start;
	unsigned used, written;
	uint8_t *code;
};

struct jump {
	taddr_t addr;
	unsigned len;
	uint8_t code[JUMP_LEN];
};

struct hooks {
	struct proc *proc;
	struct insn_decoder *decoder;
	uint64_t *counters; /* our mapping */
	taddr_t base;	    /* of block 0 in the target */
	size_t block_size, size;
	unsigned nblocks, high; /* blocks [0, high) have been given out */
	pid_t *owners;		/* 0: free */
	uint32_t room, ncounters;
	struct hash by_addr; /* function → counter + 1 */
	struct area *areas;
	unsigned nareas;
	struct jump *pending;
	unsigned npending, pending_room;
	uint64_t nuncounted;
};

/* ---- memory of the target ---- */

static int remote(struct hooks *h, long nr, const uint64_t args[6], int64_t *result,
		  struct err *err)
{
	int r = proc_syscall(h->proc, nr, args, result);

	if (!r && *result < 0)
		r = (int)*result;
	return r ? err_set(err, r, "the process may not map memory: %s", strerror(-r)) : 0;
}

/* The name lies below the stack of a thread that stands still. */
static int remote_memfd(struct hooks *h, int64_t *fd, struct err *err)
{
	static const char name[] = "dtrace-fpid";
	taddr_t at = proc_scratch(h->proc, sizeof(name));
	uint64_t args[6] = {at, MFD_CLOEXEC};

	if (!at || target_write(proc_target(h->proc), at, name, sizeof(name)) != sizeof(name))
		return err_set(err, -EFAULT, "its stack cannot be written");
	return remote(h, SYS_memfd_create, args, fd, err);
}

static int map_ours(struct hooks *h, int64_t fd, struct err *err)
{
	char path[64];
	void *p;
	int ours;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", proc_pid(h->proc), (int)fd);
	ours = open(path, O_RDWR | O_CLOEXEC);
	if (ours < 0)
		return err_set(err, -errno, "cannot open its memory: %s", strerror(errno));
	if (ftruncate(ours, (off_t)h->size) < 0) {
		close(ours);
		return err_set(err, -errno, "no memory for its counters: %s", strerror(errno));
	}
	p = mmap(NULL, h->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, ours, 0);
	close(ours);
	if (p == MAP_FAILED)
		return err_set(err, -errno, "no memory for its counters: %s", strerror(errno));
	h->counters = p;
	return 0;
}

static int map_counters(struct hooks *h, struct err *err)
{
	uint64_t args[6] = {0,
			    h->size,
			    PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE,
			    0,
			    0};
	int64_t fd, got;
	int r = remote_memfd(h, &fd, err);

	if (r)
		return r;
	args[0] = proc_low_gap(h->proc, LOW_LIMIT, h->size);
	args[4] = (uint64_t)fd;
	r = map_ours(h, fd, err);
	if (!r && !args[0])
		r = err_set(err, -ENOMEM, "it has no free addresses below 2 GiB");
	if (!r)
		r = remote(h, SYS_mmap, args, &got, err);
	h->base = args[0];
	args[0] = (uint64_t)fd;
	proc_syscall(h->proc, SYS_close, args, &got);
	return r;
}

static bool is_near(taddr_t a, taddr_t b)
{
	return MAX(a, b) - MIN(a, b) < REACH;
}

static struct area *area_near(struct hooks *h, taddr_t addr, struct err *err)
{
	uint64_t args[6] = {0,
			    AREA_SIZE,
			    PROT_READ | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE,
			    UINT64_MAX,
			    0};
	struct area *a;
	int64_t got;

	for (unsigned i = h->nareas; i-- > 0;)
		if (is_near(h->areas[i].start, addr) && h->areas[i].used + STUB_MAX <= AREA_SIZE)
			return &h->areas[i];
	args[0] = proc_gap(h->proc, addr, AREA_SIZE);
	if (!args[0]) {
		err_set(err, -ENOMEM, "there is no free memory near it");
		return NULL;
	}
	if (remote(h, SYS_mmap, args, &got, err))
		return NULL;
	h->areas = xrealloc(h->areas, (h->nareas + 1) * sizeof(*h->areas));
	a = &h->areas[h->nareas++];
	*a = (struct area){.start = args[0], .code = xcalloc(1, AREA_SIZE)};
	return a;
}

/* ---- threads ---- */

static bool set_word(struct hooks *h, taddr_t tcb, unsigned block)
{
	uint64_t distance = (uint64_t)block * h->block_size;

	return target_write(proc_target(h->proc), tcb + HOOK_WORD, &distance, sizeof(distance)) ==
	       sizeof(distance);
}

static unsigned free_block(const struct hooks *h)
{
	for (unsigned i = 1; i < h->nblocks; i++)
		if (!h->owners[i])
			return i;
	return 0;
}

void hooks_born(struct hooks *h, struct thread *t, taddr_t tcb)
{
	unsigned block = free_block(h);

	if (!set_word(h, tcb, block) || !block) {
		h->nuncounted++;
		return;
	}
	h->owners[block] = thread_tid(t);
	h->high = MAX(h->high, block + 1);
}

void hooks_left(struct hooks *h, const struct thread *t)
{
	for (unsigned i = 1; i < h->high; i++)
		if (h->owners[i] == thread_tid(t))
			h->owners[i] = 0;
}

/* The child's copy shares our counters: it counts where nobody looks. */
void hooks_forked(taddr_t tcb, int mem_fd)
{
	static const uint64_t nowhere;

	if (pwrite(mem_fd, &nowhere, sizeof(nowhere), (off_t)(tcb + HOOK_WORD)) < 0)
		return; /* it is dying: it counts no more */
}

uint64_t hooks_uncounted(const struct hooks *h)
{
	return h->nuncounted;
}

struct adopting {
	struct hooks *h;
	bool failed;
};

static void adopt(struct thread *t, void *arg)
{
	struct adopting *a = arg;
	taddr_t tcb = thread_tcb(t);

	if (tcb)
		hooks_born(a->h, t, tcb);
	a->failed |= !tcb;
}

/* ---- hooks ---- */

int hooks_new(struct proc *p, unsigned nsites, struct hooks **out, struct err *err)
{
	struct hooks *h = xcalloc(1, sizeof(*h));
	struct adopting a = {.h = h};
	int r;

	h->proc = p;
	h->room = MAX(nsites + nsites / 2, MIN_ROOM);
	h->block_size = ROUND_UP((size_t)h->room * 8, 4096);
	h->nblocks = (unsigned)MIN(MAX_SPACE / h->block_size, (size_t)MAX_BLOCKS);
	if (h->nblocks < MIN_BLOCKS) {
		free(h);
		return err_set(err, -ENOSPC, "there are too many functions");
	}
	h->size = h->nblocks * h->block_size;
	h->high = 1;
	h->owners = xcalloc(h->nblocks, sizeof(*h->owners));
	h->decoder = insn_decoder_new();
	hash_init(&h->by_addr);
	r = map_counters(h, err);
	if (!r) {
		proc_each_thread(p, adopt, &a);
		if (a.failed || h->nuncounted)
			r = err_set(err, -EINVAL, "a thread has no control block yet");
	}
	if (r)
		hooks_free(h);
	else
		*out = h;
	return r;
}

void hooks_free(struct hooks *h)
{
	if (!h)
		return;
	if (h->counters)
		munmap(h->counters, h->size);
	for (unsigned i = 0; i < h->nareas; i++)
		free(h->areas[i].code);
	free(h->areas);
	free(h->pending);
	free(h->owners);
	hash_release(&h->by_addr);
	insn_decoder_free(h->decoder);
	free(h);
}

/* May the bytes at addr be replaced now? */
static int check_site(struct hooks *h, const struct hook_request *rq, unsigned window,
		      struct err *err)
{
	uint8_t now[RELOC_WINDOW_MAX];

	if (bkpt_is_in(h->proc, rq->addr, rq->addr + window))
		return err_set(err, -EBUSY, "a breakpoint stands in its first bytes");
	if (proc_runs_in(h->proc, rq->addr + 1, rq->addr + window))
		return err_set(err, -EBUSY, "a thread stands in its first bytes");
	if (target_read(proc_target(h->proc), rq->addr, now, window) != (ssize_t)window ||
	    memcmp(now, rq->bytes, window) != 0)
		return err_set(err, -EBUSY, "its code differs from the file");
	if (rq->island && (bkpt_is_in(h->proc, rq->island, rq->island + JUMP_LEN) ||
			   proc_runs_in(h->proc, rq->island, rq->island + JUMP_LEN)))
		return err_set(err, -EBUSY, "something stands in the padding it needs");
	return 0;
}

static void add_pending(struct hooks *h, const struct jump *j)
{
	if (h->npending == h->pending_room) {
		h->pending_room = h->pending_room ? 2 * h->pending_room : 256;
		h->pending = xrealloc(h->pending, h->pending_room * sizeof(*h->pending));
	}
	h->pending[h->npending++] = *j;
}

/* The island before what leads to it. */
static int add_jumps(struct hooks *h, const struct hook_request *rq, taddr_t stub)
{
	struct jump last = {.addr = rq->addr, .len = JUMP_LEN};
	struct jump island = {.addr = rq->island, .len = JUMP_LEN};
	int r;

	if (rq->island) {
		last.len = SHORT_JUMP_LEN;
		r = jump_emit(rq->island, stub, island.code);
		if (!r)
			r = short_jump_emit(rq->addr, rq->island, last.code);
		if (!r)
			add_pending(h, &island);
	} else {
		r = jump_emit(rq->addr, stub, last.code);
	}
	if (!r)
		add_pending(h, &last);
	return r;
}

int hooks_add(struct hooks *h, const struct hook_request *rq, uint32_t *counter, struct err *err)
{
	uintptr_t known = (uintptr_t)hash_get(&h->by_addr, rq->addr);
	struct stub_request sr = {.bytes = rq->bytes,
				  .n = rq->n,
				  .from = rq->addr,
				  .need = rq->need,
				  .is_careful = rq->is_careful};
	struct stub stub;
	struct area *a;
	int r;

	if (known) {
		*counter = (uint32_t)known - 1;
		return 0;
	}
	if (h->ncounters == h->room)
		return err_set(err, -ENOSPC, "no counter is left");
	a = area_near(h, rq->addr, err);
	if (!a)
		return -ENOMEM;
	sr.to = a->start + a->used;
	sr.counter = (uint32_t)(h->base + (uint64_t)h->ncounters * 8);
	r = stub_emit(h->decoder, &sr, &stub, err);
	if (!r)
		r = check_site(h, rq, stub.window, err);
	if (r)
		return r;
	if (add_jumps(h, rq, sr.to))
		return err_set(err, -ERANGE, "its code is too far from free memory");
	memcpy(a->code + a->used, stub.code, stub.len);
	a->used += ROUND_UP(stub.len, 16);
	*counter = h->ncounters++;
	hash_put(&h->by_addr, rq->addr, (void *)(uintptr_t)(*counter + 1));
	return 0;
}

/* Stubs first: a jump never leads to where nothing is. */
int hooks_commit(struct hooks *h, struct err *err)
{
	int r = 0;

	for (unsigned i = 0; i < h->nareas && !r; i++) {
		struct area *a = &h->areas[i];

		r = proc_write_code(h->proc, a->start + a->written, a->code + a->written,
				    a->used - a->written);
		a->written = a->used;
	}
	for (unsigned i = 0; i < h->npending && !r; i++)
		r = proc_write_code(h->proc, h->pending[i].addr, h->pending[i].code,
				    h->pending[i].len);
	h->npending = 0;
	return r ? err_set(err, r, "cannot write code of process %d: %s", proc_pid(h->proc),
			   strerror(-r))
		 : 0;
}

uint64_t hooks_count(const struct hooks *h, uint32_t counter)
{
	uint64_t n = 0;

	for (unsigned i = 1; i < h->high; i++)
		n += __atomic_load_n(&h->counters[i * (h->block_size / 8) + counter],
				     __ATOMIC_RELAXED);
	return n;
}
