/* hookarea.c: room for trampolines near the code they belong to, each with a copy of the hook
 * object. */
#include "inject/hooks_priv.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "inject/hookobj.h"

#define REACH	  0x7ff00000ULL
#define AREA_MIN  (64U << 10)
#define AREA_MOST (1U << 20)

static bool is_near(taddr_t a, taddr_t b)
{
	return MAX(a, b) - MIN(a, b) < REACH;
}

taddr_t hooks_function(const struct hooks *h, const struct area *a, enum hook_function fn)
{
	bool is_selfclaim = h->where.selfclaim && fn <= HOOK_FN_AGGREGATE;

	return a->start + ((const struct hook_object *)hookobj_bytes)
				  ->functions[is_selfclaim ? HOOK_FN_SELFCLAIM + fn : fn];
}

taddr_t hooks_take_block(const struct hooks *h, const struct area *a)
{
	return h->where.selfclaim ? hooks_function(h, a, HOOK_FN_TAKE_BLOCK) : 0;
}

static void new_code(struct area *a)
{
	a->code = xcalloc(1, a->size);
	a->code_refs = xcalloc(1, sizeof(*a->code_refs));
	*a->code_refs = 1;
	a->is_borrowed = false;
}

/* It is about to be written to. */
static void own_code(struct area *a)
{
	struct area from = *a;

	if (!a->is_borrowed)
		return;
	new_code(a);
	memcpy(a->code, from.code, a->used);
	hooks_free_code(&from);
}

void hooks_free_code(struct area *a)
{
	if (!a->code || --*a->code_refs)
		return;
	free(a->code);
	free(a->code_refs);
}

/* Its own copy of the hook object: calls reach no further than jumps. */
static void begin_area(const struct hooks *h, struct area *a, taddr_t start, unsigned size)
{
	*a = (struct area){.start = start, .size = size};
	new_code(a);
	memcpy(a->code, hookobj_bytes, HOOKOBJ_SIZE);
	((struct hook_object *)a->code)->where = h->where;
	a->used = (unsigned)ROUND_UP(HOOKOBJ_SIZE, 64);
}

bool hooks_has_room(const struct area *a, unsigned n)
{
	return a->used + a->promised + n <= a->size;
}

/* As much as there is already. */
static unsigned next_size(const struct hooks *h)
{
	unsigned size = 0;

	for (unsigned i = 0; i < h->code.nareas; i++)
		size += h->code.areas[i].size;
	return (unsigned)ROUND_UP(MAX(MIN(MAX(size, AREA_MIN), AREA_MOST), h->code.expected), PAGE);
}

int hooks_map_area(struct hooks *h, taddr_t start, unsigned size, struct err *err)
{
	const uint64_t args[6] = {start,
				  size,
				  PROT_READ | PROT_EXEC,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE,
				  UINT64_MAX,
				  0};
	int64_t got;
	int r;

	proc_note_mapped(h->proc, start, size);
	r = hooks_remote(h, SYS_mmap, args, &got, err);
	if (r) {
		proc_forget_mapped(h->proc, start);
		return r;
	}
	h->code.areas = xrealloc(h->code.areas, (h->code.nareas + 1) * sizeof(*h->code.areas));
	begin_area(h, &h->code.areas[h->code.nareas], start, size);
	return (int)h->code.nareas++;
}

int hooks_area_near(struct hooks *h, taddr_t addr, struct err *err)
{
	unsigned size = next_size(h);
	taddr_t start;

	for (unsigned i = h->code.nareas; i-- > h->code.first_area;)
		if (!h->code.areas[i].is_whole && is_near(h->code.areas[i].start, addr) &&
		    hooks_has_room(&h->code.areas[i], RELOC_CODE_MAX + NATIVE_ROOM)) {
			own_code(&h->code.areas[i]);
			return (int)i;
		}
	start = h->code.expected ? proc_lonely_gap(h->proc, addr, size) : 0;
	if (!start)
		start = proc_gap(h->proc, addr, size);
	return start ? hooks_map_area(h, start, size, err)
		     : err_set(err, -ENOMEM, "there is no free memory near it");
}

/* Whoever reads it meanwhile reads a whole word: the one before or this one. */
void hooks_set_where(struct hooks *h, size_t field, uint64_t value)
{
	size_t off = offsetof(struct hook_object, where) + field;

	memcpy((char *)&h->where + field, &value, sizeof(value));
	for (unsigned i = 0; i < h->code.nareas; i++) {
		struct area *a = &h->code.areas[i];

		if (!a->start)
			continue;
		if (!a->is_borrowed)
			memcpy(a->code + off, &value, sizeof(value));
		if (a->written)
			proc_write_code(h->proc, a->start + off, &value, sizeof(value));
	}
}
