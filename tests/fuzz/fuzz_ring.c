/* The reader of rings: the input is what a target has written into two of them, their heads, and
 * where their last gaps are. */
#include "inject/ring.h"

#include <stdlib.h>

#include "tests/fuzz/fuzz.h"

#define SIZE   1024U
#define NSITES 3

static const struct hook_site sites[NSITES] = {
	{.flags = HOOK_TIME}, {.flags = 0}, {.flags = HOOK_TIME}};
static const uint32_t nsites = NSITES;

struct input {
	struct ring ring;
	struct hook_block block;
	uint8_t data[SIZE];
};

static void fill(struct input *in, const uint8_t *data, size_t n)
{
	memset(in, 0, sizeof(*in));
	memcpy(in->data, data, MIN(n, SIZE));
	in->ring = (struct ring){.data = in->data,
				 .size = SIZE,
				 .block = &in->block,
				 .sites = sites,
				 .nsites = &nsites};
}

static void drain(struct rings *rs)
{
	uint64_t last = 0, sum = 0;
	struct ring_record r;

	for (unsigned i = 0; rings_oldest(rs) != UINT64_MAX; i++) {
		rings_take(rs, &r);
		if (i > 2 * SIZE || r.site >= nsites || r.time_ns < last)
			abort();
		last = r.time_ns;
		for (unsigned k = 0; k < r.nwords; k++)
			sum += r.words[k];
	}
	__asm__ volatile("" : : "r"(sum));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct rings *rs = rings_new();
	struct input *in[2];
	uint64_t heads[4] = {0}, gaps[4] = {0};
	size_t behind = sizeof(heads) + sizeof(in) / sizeof(in[0]) * SIZE;

	memcpy(heads, data, MIN(n, sizeof(heads)));
	if (n > behind)
		memcpy(gaps, data + behind, MIN(n - behind, sizeof(gaps)));
	for (unsigned i = 0; i < 2; i++) {
		size_t off = MIN(n, sizeof(heads) + i * SIZE);

		in[i] = aligned_alloc(64, sizeof(*in[i]));
		fill(in[i], data + off, n - off);
		rings_add(rs, &in[i]->ring);
	}
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < 2; i++) {
			in[i]->block.head = heads[2 * round + i];
			in[i]->block.gap = gaps[2 * round + i];
		}
		rings_look(rs);
		drain(rs);
	}
	rings_free(rs);
	free(in[0]);
	free(in[1]);
	return 0;
}
