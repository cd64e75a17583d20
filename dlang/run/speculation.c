#include "dlang/run/speculation.h"

#include <errno.h>

#include "dlang/run/subrs.h"
#include "dlang/session_engine.h"

struct speculation {
	bool is_active;
	uint64_t used;
	char *data;
};

struct speculations {
	uint64_t n, size;
	uint64_t first_free; /* all below this index are active */
	struct speculation *v;
};

struct speculations *speculations_new(struct arena *a, uint64_t n, uint64_t size, struct err *err)
{
	struct speculations *all = ARENA_NEW(a, struct speculations);
	char *data;

	all->n = n;
	all->size = size / 8 * 8;
	all->v = arena_try(a, n * sizeof(*all->v)); /* n is an int: no overflow */
	data = all->v && all->size <= SIZE_MAX / MAX(n, 1) ? arena_try(a, n * all->size) : NULL;
	if (!data) {
		err_set(err, -ENOMEM, "no room for %llu speculations of %llu bytes",
			(unsigned long long)n, (unsigned long long)size);
		return NULL;
	}
	for (uint64_t i = 0; i < n; i++)
		all->v[i].data = data + i * all->size;
	return all;
}

uint64_t speculations_count(const struct speculations *all)
{
	return all->n;
}

/* NULL: there is no such, or it is not active. */
static struct speculation *find_active(const struct speculations *all, uint32_t id)
{
	struct speculation *spec = id > 0 && id <= all->n ? &all->v[id - 1] : NULL;

	return spec && spec->is_active ? spec : NULL;
}

bool speculations_is_active(const struct speculations *all, uint64_t id)
{
	return id <= all->n && find_active(all, (uint32_t)id);
}

/* Makes the lowest free one active. 0: all are active. */
static uint32_t take(struct speculations *all)
{
	while (all->first_free < all->n && all->v[all->first_free].is_active)
		all->first_free++;
	if (all->first_free == all->n)
		return 0;
	all->v[all->first_free].is_active = true;
	return (uint32_t)++all->first_free;
}

bool speculations_record(struct speculations *all, uint32_t id, const struct rec_head *head,
			 const char *payload, uint32_t n)
{
	struct speculation *spec = find_active(all, id);
	uint64_t size = buffer_record_size(n);
	struct rec_head rec = *head;

	if (!spec)
		return true;
	if (size > all->size - spec->used)
		return false;
	rec.size = (uint32_t)size;
	memcpy(spec->data + spec->used, &rec, sizeof(rec));
	memcpy(spec->data + spec->used + sizeof(rec), payload, n);
	spec->used += size;
	return true;
}

uint64_t speculations_bytes(const struct speculations *all, uint32_t id)
{
	const struct speculation *spec = find_active(all, id);

	return spec ? spec->used : 0;
}

uint64_t speculations_counted(const struct speculations *all, uint32_t id)
{
	const struct speculation *spec = find_active(all, id);
	uint64_t sum = 0;

	for (uint64_t at = 0; spec && at < spec->used;) {
		const struct rec_head *rec = (const void *)(spec->data + at);

		sum += rec->counted;
		at += rec->size;
	}
	return sum;
}

void speculations_copy(const struct speculations *all, uint32_t id, char *dst, uint64_t *seq)
{
	const struct speculation *spec = &all->v[id - 1];

	memcpy(dst, spec->data, spec->used);
	for (uint64_t at = 0; at < spec->used;) {
		struct rec_head *rec = (struct rec_head *)(void *)(dst + at);

		rec->seq = ++*seq;
		at += rec->size;
	}
}

void speculations_release(struct speculations *all, uint32_t id)
{
	struct speculation *spec = find_active(all, id);

	if (!spec)
		return;
	spec->is_active = false;
	spec->used = 0;
	all->first_free = MIN(all->first_free, (uint64_t)id - 1);
}

uint64_t subr_speculation(struct vm *vm, const struct vm_key *args UNUSED, unsigned nargs UNUSED)
{
	struct session *s = vm->session;
	uint32_t id = take(s->engine->speculations);

	if (!id)
		atomic_fetch_add_explicit(&s->drops[DROP_SPECUNAVAIL], 1, memory_order_relaxed);
	return id;
}
