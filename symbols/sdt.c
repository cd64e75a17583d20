#include "symbols/sdt.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/err.h"
#include "symbols/elf_priv.h"

#define NT_STAPSDT 3
#define NT_TYPES   1 /* of owner "dtrace": provider, name, types, in the order of sdt_note */

struct notes {
	struct objfile *o;
	taddr_t base; /* of .stapsdt.base; 0: there is none */
	struct sdt_note *v;
	unsigned n, room;
};

/* A text of the description, which moves on behind it. NULL: it does not end within. */
static const char *take_text(const char **p, const char *end)
{
	const char *text = *p, *nul = memchr(text, '\0', (size_t)(end - text));

	if (!nul)
		return NULL;
	*p = nul + 1;
	return text;
}

/* What can be written in a probe description. */
static bool is_name(const char *s)
{
	if (!*s)
		return false;
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr("_-.$", *s))
			return false;
	return true;
}

static struct sdt_note *new_note(struct notes *ns)
{
	if (ns->n == ns->room) {
		ns->room = ns->room ? 2 * ns->room : 32;
		ns->v = xrealloc(ns->v, ns->room * sizeof(*ns->v));
	}
	return &ns->v[ns->n++];
}

static void read_probe(struct notes *ns, const char *desc, size_t size)
{
	struct arena *a = &priv(ns->o)->arena;
	const char *p = desc + 3 * sizeof(uint64_t), *end = desc + size;
	const char *provider, *name, *args;
	uint64_t words[3], moved;

	if (size < sizeof(words))
		return;
	memcpy(words, desc, sizeof(words));
	provider = take_text(&p, end);
	name = provider ? take_text(&p, end) : NULL;
	args = name ? take_text(&p, end) : NULL;
	if (!args || !is_name(provider) || !is_name(name))
		return;
	moved = ns->base && words[1] ? ns->base - words[1] : 0;
	*new_note(ns) = (struct sdt_note){.pc = words[0] + moved,
					  .semaphore = words[2] ? words[2] + moved : 0,
					  .provider = arena_strdup(a, provider),
					  .name = arena_strdup(a, name),
					  .args = arena_strdup(a, args)};
}

static void read_types(struct notes *ns, const char *desc, size_t size)
{
	const char *end = desc + size, *provider = take_text(&desc, end), *name, *types;

	name = provider ? take_text(&desc, end) : NULL;
	types = name ? take_text(&desc, end) : NULL;
	for (unsigned i = 0; types && i < ns->n; i++)
		if (!ns->v[i].types && !strcmp(ns->v[i].provider, provider) &&
		    !strcmp(ns->v[i].name, name))
			ns->v[i].types = arena_strdup(&priv(ns->o)->arena, types);
}

typedef void note_fn(struct notes *, const char *desc, size_t size);

static void each_note(struct notes *ns, const struct sections *s, const char *section,
		      const char *owner, uint32_t type, note_fn *fn)
{
	const Elf64_Shdr *sh = elf_section_named(s, section);
	size_t len = strlen(owner) + 1;
	uint64_t at = 0;
	char *data;

	if (!sh || sh->sh_type != SHT_NOTE)
		return;
	data = elf_read(ns->o, sh->sh_offset, sh->sh_size, "notes", NULL);
	while (data && at + sizeof(Elf64_Nhdr) <= sh->sh_size) {
		Elf64_Nhdr nh;
		uint64_t name = at + sizeof(nh), desc;

		memcpy(&nh, data + at, sizeof(nh));
		desc = name + ROUND_UP((uint64_t)nh.n_namesz, 4);
		at = desc + ROUND_UP((uint64_t)nh.n_descsz, 4);
		if (desc + nh.n_descsz > sh->sh_size)
			break;
		if (nh.n_type == type && nh.n_namesz == len && !memcmp(data + name, owner, len))
			fn(ns, data + desc, nh.n_descsz);
	}
	free(data);
}

static void read_notes(struct objfile *o)
{
	struct objfile_priv *p = priv(o);
	struct notes ns = {.o = o};
	struct sections s = {0};
	const Elf64_Shdr *base;

	p->sdt_read = true;
	if (elf_sections(o, &s, NULL) == 0) {
		base = elf_section_named(&s, ".stapsdt.base");
		ns.base = base ? base->sh_addr : 0;
		each_note(&ns, &s, ".note.stapsdt", "stapsdt", NT_STAPSDT, read_probe);
		each_note(&ns, &s, ".note.dtrace", "dtrace", NT_TYPES, read_types);
	}
	elf_sections_release(&s);
	p->sdt = arena_memdup(&p->arena, ns.v, ns.n * sizeof(*ns.v));
	p->nsdt = ns.n;
	free(ns.v);
}

unsigned objfile_sdt(struct objfile *o, const struct sdt_note **out)
{
	const struct objfile_priv *p = priv(o);

	if (!p->sdt_read)
		read_notes(o);
	*out = p->sdt;
	return p->nsdt;
}
