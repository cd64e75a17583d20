/* A file: it opens or it does not; what opened can be asked for everything. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbols/cfi/ehframe.h"
#include "symbols/sdt.h"
#include "symbols/symbols.h"

static void count(void *arg, const struct eh_fde *fde)
{
	*(uint64_t *)arg += fde->start ^ fde->size ^ fde->lsda;
}

static void sum_up(void *arg, taddr_t at)
{
	*(uint64_t *)arg += at;
}

static void ask(struct objfile *o)
{
	uint64_t sum = 0;
	const struct func *found[2];
	struct nearest near;
	const struct sdt_note *notes;
	unsigned nnotes;
	taddr_t addr;
	uint64_t size;

	for (unsigned i = 0; i < o->nfuncs && i < 200; i++) {
		const struct func *f = &o->funcs[i];
		const struct retsite *site;
		uint32_t *offs;
		bool decoded;
		unsigned n = objfile_retsites(o, f, &site, &decoded);

		for (unsigned k = 0; k < n; k++)
			if (!objfile_at(o, f->addr + (taddr_t)site[k].off))
				abort();
		n = objfile_insns(o, f, &offs, &decoded);
		for (unsigned k = 1; k < n; k++)
			if (offs[k] <= offs[k - 1] || offs[k] >= f->size)
				abort();
		free(offs);
		if (!objfile_at(o, f->addr))
			abort();
		if (!f->name[0])
			abort();
		objfile_find(o, f->name, found, 2);
	}
	objfile_symbol(o, "main", &addr, &size);
	nearest_init(&near, "mian");
	objfile_suggest(o, &near);
	nearest_release(&near);
	objfile_pointers(o, sum_up, &sum);
	objfile_landing_pads(o, sum_up, &sum);
	objfile_bias(o, 0, 0x1000, true, &addr);
	nnotes = objfile_sdt(o, &notes);
	for (unsigned i = 0; i < nnotes; i++) {
		struct sdt_arg args[SDT_MAX_ARGS];

		if (!*notes[i].provider || !*notes[i].name ||
		    sdt_parse_args(notes[i].args, args) > SDT_MAX_ARGS)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct ehframe eh = {data, n, 0x1000, n & 1};
	struct objfile *o;
	uint64_t sum = 0;
	taddr_t addr;
	int fd = memfd_create("fuzz_elf", 0);

	ehframe_each(&eh, count, &sum);
	ehframe_hdr_find(data, n, 0x1000, &addr);
	if (write(fd, data, n) != (ssize_t)n)
		abort();
	if (objfile_open(fd, "file", &o, NULL) == 0) {
		ask(o);
		objfile_close(o);
	}
	return 0;
}
