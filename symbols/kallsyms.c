#include "symbols/kallsyms.h"

#include <stdlib.h>

#define KALLSYMS    "/proc/kallsyms"
#define KERNEL	    "vmlinux" /* the object of what is in no module */
#define KERNEL_HALF (1ULL << 63)

struct ksym {
	uint64_t addr;
	const char *name, *module; /* module: "vmlinux" or of the kernel's list; interned */
};

struct kallsyms {
	const char *path;
	uint64_t slide;
	bool is_loaded;
	struct arena arena;
	struct intern intern;
	struct ksym *v;
	size_t n, room;
};

struct kallsyms *kallsyms_new(const char *path)
{
	struct kallsyms *k = xcalloc(1, sizeof(*k));

	k->path = path ? path : KALLSYMS;
	arena_init(&k->arena);
	intern_init(&k->intern, &k->arena);
	return k;
}

void kallsyms_use(struct kallsyms *k, const char *path, uint64_t slide)
{
	k->path = path ? path : KALLSYMS;
	k->slide = slide;
}

void kallsyms_free(struct kallsyms *k)
{
	if (!k)
		return;
	free(k->v);
	intern_release(&k->intern);
	arena_release(&k->arena);
	free(k);
}

/* Of names with one address the one that reads best comes last: the fewest underscores in front. */
static int by_address(const void *a, const void *b)
{
	const struct ksym *x = a, *y = b;
	size_t ux = strspn(x->name, "_"), uy = strspn(y->name, "_");

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (ux != uy)
		return ux > uy ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void add(struct kallsyms *k, uint64_t addr, const char *name, const char *module)
{
	if (k->n == k->room) {
		k->room = k->room ? k->room * 2 : 1 << 16;
		k->v = xrealloc(k->v, k->room * sizeof(*k->v));
	}
	k->v[k->n++] =
		(struct ksym){addr, arena_strdup(&k->arena, name), intern_str(&k->intern, module)};
}

struct line {
	unsigned long long addr;
	char name[512], module[128];
};

/* "ffffffff81000000 T _text", "ffffffffc0000000 t fn\t[module]"; false: no code. */
static bool parse_line(const char *text, struct line *l)
{
	char type;

	memcpy(l->module, KERNEL, sizeof(KERNEL));
	return sscanf(text, "%llx %c %511s [%127[^]]]", &l->addr, &type, l->name, l->module) >= 3 &&
	       l->addr && strchr("tTwW", type);
}

static void take_line(struct kallsyms *k, const char *text)
{
	struct line l;

	if (parse_line(text, &l) && (!k->slide || strcmp(l.module, KERNEL) == 0))
		add(k, l.addr + k->slide, l.name, l.module);
}

static void load(struct kallsyms *k)
{
	FILE *f = fopen(k->path, "re");
	char *line = NULL;
	size_t room = 0;

	k->is_loaded = true;
	while (f && getline(&line, &room, f) > 0)
		take_line(k, line);
	free(line);
	if (f)
		fclose(f);
	if (k->n)
		qsort(k->v, k->n, sizeof(*k->v), by_address);
}

void kallsyms_lookup(struct kallsyms *k, uint64_t addr, struct symname *out)
{
	size_t lo = 0, hi;

	*out = (struct symname){0};
	if (!k->is_loaded)
		load(k);
	hi = k->n;
	while (lo < hi) { /* the first above addr */
		size_t mid = lo + (hi - lo) / 2;

		if (k->v[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || addr < KERNEL_HALF)
		return;
	out->object = k->v[lo - 1].module;
	out->function = k->v[lo - 1].name;
	out->start = k->v[lo - 1].addr;
	out->offset = addr - out->start;
}

/* Without keeping the others: what is asked for by its name is often the only question. */
static uint64_t find_in_file(const struct kallsyms *k, const char *name)
{
	FILE *f = fopen(k->path, "re");
	uint64_t addr = 0;
	char *text = NULL;
	size_t room = 0;
	struct line l;

	while (f && !addr && getline(&text, &room, f) > 0)
		if (strstr(text, name) && parse_line(text, &l) && strcmp(l.name, name) == 0)
			addr = l.addr;
	free(text);
	if (f)
		fclose(f);
	return addr;
}

uint64_t kallsyms_address(struct kallsyms *k, const char *name)
{
	if (!k->is_loaded)
		return find_in_file(k, name);
	for (size_t i = 0; i < k->n; i++)
		if (strcmp(k->v[i].name, name) == 0)
			return k->v[i].addr;
	return 0;
}
