/*
 * Address spaces over time, in the shared arena: written by the engine, read by both halves without
 * a lock. Arrays of fixed chunks; a count is stored last, with release, and read first, with
 * acquire. Of a published range only the end time changes.
 */
#include "symbols/symbols.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanname.h"
#include "base/err.h"
#include "symbols/jit.h"
#include "base/regfile.h"

#define CHUNK	   256
#define MAX_CHUNKS 4096
/* Most processes have few mappings: chunks of a list double, and all hold a million. */
#define FIRST_CHUNK 16U
#define NDOUBLINGS  16U
#define MAX_LISTED  (FIRST_CHUNK * ((1U << NDOUBLINGS) - 1))

struct aspace {
	pid_t pid;
	uint64_t from_ns;
	struct jitowner owner;
	_Atomic uint32_t nranges;
	struct aspace_range *ranges[NDOUBLINGS];
	_Atomic uint32_t ncodes;
	struct aspace_code *codes[NDOUBLINGS];
};

struct aspaces {
	struct arena *arena;
	_Atomic uint32_t nspaces;
	struct aspace **chunks[MAX_CHUNKS];
	int engine_end, front_end; /* of the socket */
	uint32_t nfiles;	   /* engine's */
	struct file_link {
		struct aspace_file file;
		struct file_link *next;
	} * files[CHUNK]; /* engine's, by inode */
};

/* Which chunk of a list has its i-th, and where the chunk begins. */
static unsigned chunk_of(uint32_t i, uint32_t *begin)
{
	unsigned k = 31U - (unsigned)__builtin_clz(i / FIRST_CHUNK + 1);

	*begin = FIRST_CHUNK * ((1U << k) - 1);
	return k;
}

struct aspaces *aspaces_new(struct arena *arena)
{
	struct aspaces *as = ARENA_NEW(arena, struct aspaces);

	as->arena = arena;
	as->engine_end = as->front_end = -1;
	return as;
}

/* ---- the engine writes ---- */

uint32_t aspace_new(struct aspaces *as, pid_t pid, uint64_t now_ns)
{
	uint32_t n = atomic_load_explicit(&as->nspaces, memory_order_relaxed);
	struct aspace *a = ARENA_NEW(as->arena, struct aspace);

	if (n / CHUNK >= MAX_CHUNKS)
		die("more than %u programs were traced in one run", CHUNK * MAX_CHUNKS);
	if (!as->chunks[n / CHUNK])
		as->chunks[n / CHUNK] = arena_alloc(as->arena, CHUNK * sizeof(struct aspace *));
	a->pid = pid;
	a->from_ns = now_ns;
	jitowner_find(pid, &a->owner);
	as->chunks[n / CHUNK][n % CHUNK] = a;
	atomic_store_explicit(&as->nspaces, n + 1, memory_order_release);
	return n + 1;
}

static struct aspace *aspace_get(const struct aspaces *as, uint32_t id)
{
	if (!id || id > atomic_load_explicit(&as->nspaces, memory_order_acquire))
		return NULL;
	id--;
	return as->chunks[id / CHUNK][id % CHUNK];
}

static struct aspace_range *range_get(const struct aspace *a, uint32_t i)
{
	uint32_t begin;
	unsigned k = chunk_of(i, &begin);

	return &a->ranges[k][i - begin];
}

const struct aspace_file *aspace_file(struct aspaces *as, const char *path, const char *mapped,
				      uint64_t dev, uint64_t ino, bool *is_new)
{
	struct file_link **slot = &as->files[ino % CHUNK], *l;
	const char *slash;

	*is_new = false;
	for (l = *slot; l; l = l->next)
		if (l->file.dev == dev && l->file.ino == ino && !strcmp(l->file.path, path))
			return &l->file;
	*is_new = true;
	l = ARENA_NEW(as->arena, struct file_link);
	l->file.id = ++as->nfiles;
	l->file.path = arena_strdup(as->arena, path);
	slash = strrchr(mapped, '/');
	l->file.name = arena_strdup(
		as->arena, name_cleaned(as->arena, slash && slash[1] ? slash + 1 : mapped));
	l->file.dev = dev;
	l->file.ino = ino;
	l->next = *slot;
	*slot = l;
	return &l->file;
}

/* When a space has had its million ranges, later ones have no names; nothing else depends on them.
 */
void aspace_add(struct aspaces *as, uint32_t id, const struct aspace_range *range)
{
	struct aspace *a = aspace_get(as, id);
	uint32_t n = a ? atomic_load_explicit(&a->nranges, memory_order_relaxed) : 0;
	struct aspace_range *r;
	uint32_t begin;
	unsigned k;

	if (!a || n >= MAX_LISTED)
		return;
	k = chunk_of(n, &begin);
	if (!a->ranges[k])
		a->ranges[k] = arena_alloc(as->arena, (FIRST_CHUNK << k) * sizeof(*r));
	r = range_get(a, n);
	*r = *range;
	r->to_ns = UINT64_MAX;
	r->label = range->label && range->label[0] ? arena_strdup(as->arena, range->label) : "";
	atomic_store_explicit(&a->nranges, n + 1, memory_order_release);
}

void aspace_del(struct aspaces *as, uint32_t id, taddr_t start, taddr_t end, uint64_t now_ns)
{
	struct aspace *a = aspace_get(as, id);
	uint32_t n = a ? atomic_load_explicit(&a->nranges, memory_order_relaxed) : 0;

	for (uint32_t i = 0; i < n; i++) {
		struct aspace_range *r = range_get(a, i);

		if (r->to_ns == UINT64_MAX && r->start < end && start < r->end)
			__atomic_store_n(&r->to_ns, now_ns, __ATOMIC_RELEASE);
	}
}

/* ---- both read ---- */

uint32_t aspace_of(const struct aspaces *as, pid_t pid, uint64_t time_ns)
{
	for (uint32_t id = atomic_load_explicit(&as->nspaces, memory_order_acquire); id; id--) {
		const struct aspace *a = aspace_get(as, id);

		if (a->pid == pid && a->from_ns <= time_ns)
			return id;
	}
	return ASPACE_NONE;
}

void aspace_add_code(struct aspaces *as, uint32_t id, taddr_t addr, uint64_t size, const char *name)
{
	struct aspace *a = aspace_get(as, id);
	uint32_t n = a ? atomic_load_explicit(&a->ncodes, memory_order_relaxed) : 0, begin;
	unsigned k;

	if (!a || n >= MAX_LISTED)
		return; /* only names of a million pieces ago */
	k = chunk_of(n, &begin);
	if (!a->codes[k])
		a->codes[k] = arena_alloc(as->arena, (FIRST_CHUNK << k) * sizeof(*a->codes[k]));
	a->codes[k][n - begin] = (struct aspace_code){addr, size, arena_strdup(as->arena, name)};
	atomic_store_explicit(&a->ncodes, n + 1, memory_order_release);
}

const struct aspace_code *aspace_code(const struct aspaces *as, uint32_t id, uint32_t i)
{
	const struct aspace *a = aspace_get(as, id);
	uint32_t begin;
	unsigned k;

	if (!a || i >= atomic_load_explicit(&a->ncodes, memory_order_acquire))
		return NULL;
	k = chunk_of(i, &begin);
	return &a->codes[k][i - begin];
}

pid_t aspace_pid(const struct aspaces *as, uint32_t id)
{
	const struct aspace *a = aspace_get(as, id);

	return a ? a->pid : 0;
}

const struct jitowner *aspace_owner(const struct aspaces *as, uint32_t id)
{
	const struct aspace *a = aspace_get(as, id);

	return a ? &a->owner : NULL;
}

const struct aspace_range *aspace_range(const struct aspaces *as, uint32_t id, uint32_t i)
{
	const struct aspace *a = aspace_get(as, id);

	if (!a || i >= atomic_load_explicit(&a->nranges, memory_order_acquire))
		return NULL;
	return range_get(a, i);
}

const char *aspace_program(const struct aspaces *as, pid_t pid)
{
	uint32_t id = as ? aspace_of(as, pid, UINT64_MAX) : ASPACE_NONE;
	const struct aspace_range *r;

	for (uint32_t i = 0; id != ASPACE_NONE && (r = aspace_range(as, id, i)); i++)
		if (r->file)
			return r->file->name;
	return "";
}

/* How far a time is from a range's life; 0: within. */
static uint64_t away(const struct aspace_range *r, uint64_t time_ns)
{
	uint64_t to = __atomic_load_n(&r->to_ns, __ATOMIC_ACQUIRE);

	if (time_ns < r->from_ns)
		return r->from_ns - time_ns;
	return time_ns < to || to == UINT64_MAX ? 0 : time_ns - to + 1;
}

const struct aspace_range *aspace_find(const struct aspaces *as, uint32_t id, taddr_t pc,
				       uint64_t time_ns)
{
	const struct aspace *a = aspace_get(as, id);
	uint32_t n = a ? atomic_load_explicit(&a->nranges, memory_order_acquire) : 0;
	const struct aspace_range *best = NULL;

	while (n--) { /* newest first: of equals the latest wins */
		const struct aspace_range *r = range_get(a, n);

		if (pc < r->start || pc >= r->end)
			continue;
		if (!away(r, time_ns))
			return r;
		if (!best || away(r, time_ns) < away(best, time_ns))
			best = r;
	}
	return best;
}

bool aspace_at(const struct aspaces *as, uint32_t id, taddr_t pc, uint64_t time_ns,
	       struct aspace_range *out)
{
	const struct aspace_range *r = aspace_find(as, id, pc, time_ns);

	if (!r)
		return false;
	*out = *r;
	return true;
}

/* ---- descriptors of files, from engine to front ---- */

void aspaces_set_socket(struct aspaces *as, int engine_end, int front_end)
{
	as->engine_end = engine_end;
	as->front_end = front_end;
}

union fd_control {
	struct cmsghdr align;
	char buf[CMSG_SPACE(2 * sizeof(int))];
};

struct sent_text {
	uint32_t id, own_at;
};

/* Never waits: a front that does not listen opens the file by its path when it needs it. */
void aspace_send_file(struct aspaces *as, const struct aspace_file *file, const struct objfile *o)
{
	const int fds[] = {objfile_fd(o), objfile_root(o)};
	const size_t size = fds[1] == FILEROOT_OURS ? sizeof(fds[0]) : sizeof(fds);
	struct sent_text text = {file->id,
				 (uint32_t)(strlen(o->path) - strlen(objfile_own_path(o)))};
	struct iovec iov = {&text, sizeof(text)};
	union fd_control control = {0};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = control.buf,
			     .msg_controllen = CMSG_SPACE(size)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	if (as->engine_end < 0)
		return;
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(size);
	memcpy(CMSG_DATA(c), fds, size);
	sendmsg(as->engine_end, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
}

int aspaces_receive_file(struct aspaces *as, struct aspace_sent *sent)
{
	struct sent_text text;
	struct iovec iov = {&text, sizeof(text)};
	union fd_control control;
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = control.buf,
			     .msg_controllen = sizeof(control.buf)};
	int fds[2] = {-1, FILEROOT_OURS};
	struct cmsghdr *c;

	if (as->front_end < 0 ||
	    recvmsg(as->front_end, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != sizeof(text))
		return -1;
	c = CMSG_FIRSTHDR(&msg);
	if (!c || c->cmsg_type != SCM_RIGHTS || c->cmsg_len < CMSG_LEN(sizeof(int)) ||
	    c->cmsg_len > CMSG_LEN(sizeof(fds)))
		return -1;
	memcpy(fds, CMSG_DATA(c), c->cmsg_len - CMSG_LEN(0));
	*sent = (struct aspace_sent){text.id, text.own_at, fds[1]};
	return fds[0];
}
