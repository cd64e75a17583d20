#include "symbols/jitdump.h"

#include <elf.h>

#define MAGIC	   0x4a695444 /* "JiTD" as the number its writer stored */
#define MAX_RECORD ((size_t)64 << 20)

enum { CODE_LOAD, CODE_MOVE };

struct header {
	uint32_t magic, version, size, machine;
};

struct record {
	uint32_t id, size;
	uint64_t time;
};

struct load { /* name and code follow */
	uint32_t pid, tid;
	uint64_t vma, addr, size, index;
};

struct move {
	uint32_t pid, tid;
	uint64_t vma, old, addr, size, index;
};

size_t jitdump_header(const void *p, size_t n)
{
	struct header h;

	if (n < sizeof(h))
		return 0;
	memcpy(&h, p, sizeof(h));
	return h.magic == MAGIC && h.version == 1 && h.machine == EM_X86_64 &&
			       h.size >= sizeof(h) && h.size <= 4096
		       ? h.size
		       : 0;
}

static void take(const uint8_t *p, size_t n, uint32_t id, jitdump_fn *fn, void *arg)
{
	const char *name = (const char *)p + sizeof(struct load);
	struct load l;
	struct move m;

	if (id == CODE_LOAD && n > sizeof(l) && memchr(name, '\0', n - sizeof(l))) {
		memcpy(&l, p, sizeof(l));
		fn(arg, l.addr, l.size, name, 0);
	} else if (id == CODE_MOVE && n >= sizeof(m)) {
		memcpy(&m, p, sizeof(m));
		fn(arg, m.addr, m.size, NULL, m.old);
	}
}

size_t jitdump_records(const void *bytes, size_t n, jitdump_fn *fn, void *arg, size_t *need)
{
	const uint8_t *p = bytes;
	struct record r;
	size_t at = 0;

	*need = 0;
	while (n - at >= sizeof(r)) {
		memcpy(&r, p + at, sizeof(r));
		*need = r.size >= sizeof(r) && r.size <= MAX_RECORD ? r.size : SIZE_MAX;
		if (*need > n - at)
			break;
		take(p + at + sizeof(r), r.size - sizeof(r), r.id, fn, arg);
		at += r.size;
		*need = 0;
	}
	return at;
}
