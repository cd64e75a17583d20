#include "symbols/gopclntab.h"

#define PTR	  8
#define WORD	  4UL
#define MAX_STEPS (1U << 20) /* of a table of one function */

/* ---- words ---- */

static bool word(const struct gopclntab *t, uint64_t at, uint64_t size, uint64_t *v)
{
	*v = 0;
	if (at > t->size || size > t->size - at)
		return false;
	memcpy(v, t->data + at, size);
	return true;
}

/* A text, which ends at the latest with the table. */
static const char *text_at(const struct gopclntab *t, uint64_t base, uint64_t off)
{
	return base < t->size && off < t->size - base ? (const char *)t->data + base + off : NULL;
}

/* ---- the header ---- */

/* Which words of the header, behind its first eight bytes, say where a part begins. */
static const struct layout {
	uint32_t magic;
	unsigned version;
	unsigned nwords, text, names; /* 0: there is none; the other parts follow the names */
} layouts[] = {
	{0xfffffffb, 2, 1, 0, 0},
	{0xfffffffa, 16, 7, 0, 2},
	{0xfffffff0, 18, 8, 2, 3},
	{0xfffffff1, 20, 8, 2, 3},
};

static const struct layout *layout_of(const uint8_t *head)
{
	uint32_t magic;

	memcpy(&magic, head, sizeof(magic));
	for (unsigned i = 0; i < ARRAY_SIZE(layouts); i++)
		if (layouts[i].magic == magic)
			return &layouts[i];
	return NULL;
}

static uint64_t entry_size(const struct gopclntab *t)
{
	return t->version >= 18 ? 4 : PTR;
}

static bool read_parts(struct gopclntab *t, const struct layout *l)
{
	uint64_t *const parts[] = {&t->names, &t->cus, &t->files, &t->pcs, &t->funcs};
	uint64_t v[8] = {0};

	for (unsigned i = 0; i < l->nwords; i++)
		if (!word(t, 8 + (uint64_t)PTR * i, PTR, &v[i]))
			return false;
	t->nfuncs = v[0];
	t->funcs = 8 + PTR;
	if (l->text && v[l->text])
		t->text = v[l->text];
	for (unsigned i = 0; l->names && i < ARRAY_SIZE(parts); i++) {
		*parts[i] = v[l->names + i];
		if (*parts[i] > t->size)
			return false;
	}
	return true;
}

bool gopclntab_open(struct gopclntab *t, const void *data, size_t size, taddr_t text)
{
	const uint8_t *head = data;
	const struct layout *l = size >= 8 ? layout_of(head) : NULL;

	*t = (struct gopclntab){.data = data, .size = size};
	/* two zeros, the quantum of instructions, the size of a pointer */
	if (!l || head[4] || head[5] || head[6] != 1 || head[7] != PTR)
		return false;
	t->version = l->version;
	t->text = l->text ? text : 0;
	return read_parts(t, l) && t->nfuncs &&
	       t->nfuncs <= (size - t->funcs) / (2 * entry_size(t));
}

/* ---- functions ---- */

bool gopclntab_func(const struct gopclntab *t, uint64_t i, struct gofunc *f)
{
	uint64_t size = entry_size(t), at = t->funcs + 2 * size * i, start, end, off, name;

	if (i >= t->nfuncs || !word(t, at, size, &start) || !word(t, at + size, size, &off) ||
	    !word(t, at + 2 * size, size, &end) || end <= start)
		return false;
	/* of 1.2 they are counted from the table's begin */
	f->at = t->version == 2 ? off : t->funcs + off;
	if (off > t->size || f->at > t->size || !word(t, f->at + size, 4, &name))
		return false;
	f->start = t->text + start;
	f->end = t->text + end;
	f->name = text_at(t, t->names, name);
	return f->name && *f->name && f->end > f->start;
}

/* ---- lines ---- */

struct steps {
	const struct gopclntab *t;
	uint64_t at;
};

static bool take_varint(struct steps *s, uint32_t *v)
{
	*v = 0;
	for (unsigned shift = 0; shift < 32 && s->at < s->t->size; shift += 7) {
		uint8_t byte = s->t->data[s->at++];

		*v |= (uint32_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

/* A table of values by pc: pairs of changes, of the value (zigzag) and of the pc. */
static bool value_at(const struct gopclntab *t, const struct gofunc *f, uint64_t off, taddr_t pc,
		     int32_t *value)
{
	uint64_t base = t->version == 2 ? 0 : t->pcs;
	struct steps s = {t, base + off};
	taddr_t at = f->start;
	uint32_t change, more, sum = (uint32_t)-1;

	if (!off || off > t->size)
		return false;
	for (unsigned i = 0; i < MAX_STEPS && at < f->end; i++) {
		if (!take_varint(&s, &change) || (!change && i) || !take_varint(&s, &more))
			return false;
		sum += change & 1 ? ~(change >> 1) : change >> 1;
		at += more;
		if (pc < at) {
			*value = (int32_t)sum;
			return true;
		}
	}
	return false;
}

static const char *file_name(const struct gopclntab *t, const struct gofunc *f, uint64_t words,
			     int32_t number)
{
	uint64_t cu, off, table;

	if (number < 0)
		return NULL;
	if (t->version == 2) { /* a table of offsets behind the functions and their end */
		uint64_t at = t->funcs + (2 * t->nfuncs + 1) * PTR;

		if (!word(t, at, 4, &table) || table > t->size ||
		    !word(t, table + 4 * (uint64_t)(uint32_t)number, 4, &off))
			return NULL;
		return text_at(t, 0, off);
	}
	if (!word(t, words + 7 * WORD, 4, &cu) ||
	    !word(t, t->cus + 4 * (cu + (uint32_t)number), 4, &off) || off == UINT32_MAX)
		return NULL;
	(void)f;
	return text_at(t, t->files, off);
}

bool gopclntab_line(const struct gopclntab *t, const struct gofunc *f, taddr_t pc,
		    const char **file, unsigned *line)
{
	/* behind the entry: name, args, deferreturn, pcsp, pcfile, pcln, npcdata, cu */
	uint64_t words = f->at + entry_size(t), pcfile, pcln;
	int32_t number, n;

	if (pc < f->start || pc >= f->end || !word(t, words + 4 * WORD, 4, &pcfile) ||
	    !word(t, words + 5 * WORD, 4, &pcln) || !value_at(t, f, pcfile, pc, &number) ||
	    !value_at(t, f, pcln, pc, &n))
		return false;
	*file = file_name(t, f, words, number);
	*line = (unsigned)n;
	return *file && **file && n > 0;
}
