/* Call frame information: the input is a table (and, from its first byte on, a header of one); a
 * row is asked for at a few places of every entry, and a step made with it. And it is an
 * expression. */
#include "symbols/cfi/cfi.h"

#include <stdlib.h>

#include "symbols/cfi/dwarfexpr.h"
#include "symbols/cfi/ehframe.h"
#include "tests/fuzz/fuzz.h"

#define ADDR	    0x1000
#define ENTRIES_MAX 64 /* looked at: an input may hold thousands */

struct input {
	const uint8_t *data;
	size_t n;
	struct cfi cfi[3];
	unsigned nentries;
};

static const uint8_t *bytes(void *arg, taddr_t addr, size_t n)
{
	const struct input *in = arg;

	if (addr < ADDR || addr - ADDR > in->n || n > in->n - (addr - ADDR))
		return NULL;
	return in->data + (addr - ADDR);
}

static bool memory(void *arg, taddr_t addr, uint64_t *v)
{
	const uint8_t *p = bytes(arg, addr, 8);

	if (p)
		memcpy(v, p, 8);
	else
		*v = addr ^ 0x5555;
	return addr % 5 != 0;
}

static void ask(struct input *in, const struct cfi *cfi, taddr_t pc)
{
	struct cfi_regs regs = {0};
	struct cfi_row row;

	if (cfi_row(cfi, pc, &row))
		return;
	if (pc < row.start || pc >= row.end)
		abort();
	for (unsigned i = 0; i < CFI_NREGS; i++)
		regs.r[i] = pc + i * 24;
	cfi_step(&row, &regs, memory, in);
}

static void ask_entry(void *arg, const struct eh_fde *fde)
{
	struct input *in = arg;
	taddr_t start = fde->start;
	uint64_t size = fde->size;

	if (in->nentries++ >= ENTRIES_MAX)
		return;
	for (unsigned i = 0; i < ARRAY_SIZE(in->cfi); i++) {
		ask(in, &in->cfi[i], start);
		ask(in, &in->cfi[i], start + size / 2);
		ask(in, &in->cfi[i], start + size - 1);
	}
}

static void evaluate(const uint8_t *data, size_t n)
{
	static const struct dwexpr_context any = {.first = NULL};
	struct dwexpr_location at;

	if (dwexpr_eval(&(struct dwexpr){.bytes = data, .n = n}, &any, &at) == 0 &&
	    at.nregs > DWEXPR_REGS)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct input in = {.data = data, .n = n};
	struct ehframe eh = {data, n, ADDR, true};

	cfi_open(&in.cfi[0], bytes, &in, ADDR, 0, 0);
	cfi_open(&in.cfi[1], bytes, &in, 0, ADDR, n);
	cfi_open(&in.cfi[2], bytes, &in, 0, ADDR, 0);
	ehframe_each(&eh, ask_entry, &in);
	ask(&in, &in.cfi[0], ADDR);
	ask(&in, &in.cfi[0], ADDR + n);
	for (unsigned i = 0; i < ARRAY_SIZE(in.cfi); i++)
		cfi_close(&in.cfi[i]);
	evaluate(data, n);
	return 0;
}
