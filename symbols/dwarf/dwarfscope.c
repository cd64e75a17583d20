/*
 * dwarfscope.c: names with their scopes: ns::Widget, Widget::Part, Box<int>. The index of types is
 * made at the first such question, over namespaces and classes; each type is in it by its full
 * name and by each end of that which begins behind a `::`. Blanks do not count: compilers differ in
 * where they put them in the arguments of templates.
 */
#include <ctype.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "symbols/demangle.h"
#include "symbols/dwarf/dwarf_priv.h"

#define MAX_SCOPES  12 /* in one another */
#define MAX_INLINES 3  /* of them, inline namespaces, which can be left out */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* "long unsigned int", "unsigned long": the same words in one order, without those that add
 * nothing.
 */
struct int_words {
	unsigned nlongs;
	bool is_unsigned, is_short, is_int, any;
};

static bool take_int_word(struct int_words *w, const char *word, size_t n)
{
	if (n == 4 && memcmp(word, "long", n) == 0)
		w->nlongs++;
	else if (n == 8 && memcmp(word, "unsigned", n) == 0)
		w->is_unsigned = true;
	else if (n == 5 && memcmp(word, "short", n) == 0)
		w->is_short = true;
	else if (n == 3 && memcmp(word, "int", n) == 0)
		w->is_int = true;
	else
		return false;
	return w->any = true;
}

static void put_int_words(struct strbuf *out, struct int_words *w)
{
	if (w->any)
		strbuf_addf(out, "%s%s%s", w->is_unsigned ? "unsigned" : "",
			    w->is_short	     ? "short"
			    : w->nlongs == 1 ? "long"
			    : w->nlongs	     ? "longlong"
					     : "",
			    w->is_int && !w->is_short && !w->nlongs && !w->is_unsigned ? "int"
										       : "");
	*w = (struct int_words){0};
}

/* Without what compilers differ in. */
static void squeeze(struct strbuf *out, const char *name)
{
	struct int_words w = {0};

	strbuf_init(out);
	while (*name) {
		size_t n = 0;

		while (is_word(name[n]))
			n++;
		if (!n && *name == ' ') {
			name++;
			continue;
		}
		if (!n || !take_int_word(&w, name, n)) {
			put_int_words(out, &w);
			n = n ? n : 1;
			strbuf_add(out, name, n);
		}
		name += n;
	}
	put_int_words(out, &w);
}

/* Behind the next `::` that is not of a template's argument; NULL: there is none. */
static const char *inner_scope(const char *name)
{
	unsigned depth = 0;

	for (; *name; name++) {
		depth += *name == '<';
		depth -= *name == '>' && depth > 0;
		if (!depth && name[0] == ':' && name[1] == ':')
			return name + 2;
	}
	return NULL;
}

static void add_scoped(struct dwarf *d, const char *name, Dwarf_Die *die)
{
	for (; name; name = inner_scope(name))
		if (!strmap_get(&d->scoped, name))
			dwarf_add_entry(d, &d->scoped, name, die);
}

static void index_scope(struct dwarf *d, Dwarf_Die first, const char *scope, unsigned depth,
			unsigned ninlines);

static const char *join(struct dwarf *d, const char *scope, const char *name)
{
	struct strbuf text;

	squeeze(&text, name);
	name = arena_printf(&d->arena, "%s%s%s", scope, *scope ? "::" : "", text.s);
	strbuf_release(&text);
	return name;
}

static void index_type(struct dwarf *d, Dwarf_Die *die, const char *scope, unsigned depth,
		       unsigned ninlines)
{
	const char *name = dwarf_name(d, die);
	Dwarf_Die child;

	if (!name || dwarf_hasattr(die, DW_AT_declaration))
		return;
	name = join(d, scope, name);
	if (strmap_get(&d->scoped, name))
		return; /* the same from another unit */
	add_scoped(d, name, die);
	if (depth < MAX_SCOPES && dwarf_tag(die) != DW_TAG_enumeration_type &&
	    dwarf_tag(die) != DW_TAG_typedef && dwarf_child(die, &child) == 0)
		index_scope(d, child, name, depth + 1, ninlines);
}

static void index_namespace(struct dwarf *d, Dwarf_Die *die, const char *scope, unsigned depth,
			    unsigned ninlines)
{
	const char *name = dwarf_name(d, die);
	bool is_inline = dwarf_hasattr(die, DW_AT_export_symbols);
	Dwarf_Die child;

	if (depth == MAX_SCOPES || dwarf_child(die, &child) != 0)
		return;
	if (name)
		index_scope(d, child, join(d, scope, name), depth + 1, ninlines + is_inline);
	if (!name || (is_inline && ninlines < MAX_INLINES))
		index_scope(d, child, scope, depth + 1, ninlines + is_inline);
}

static void index_scope(struct dwarf *d, Dwarf_Die first, const char *scope, unsigned depth,
			unsigned ninlines)
{
	Dwarf_Die die = first;

	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_union_type:
		case DW_TAG_enumeration_type:
		case DW_TAG_typedef:
			index_type(d, &die, scope, depth, ninlines);
			break;
		case DW_TAG_namespace:
			index_namespace(d, &die, scope, depth, ninlines);
			break;
		default:
			break;
		}
	} while (dwarf_next_seen(d, &die));
}

static void index_unit(struct dwarf *d, Dwarf_Die first, unsigned depth)
{
	index_scope(d, first, "", depth, 0);
}

bool dwarf_find_scoped(struct dwarf *d, const char *name, Dwarf_Die *die)
{
	struct strbuf text;
	const struct dwent *e;

	if (!d->has_scoped)
		dwarf_index_units(d, index_unit);
	d->has_scoped = true;
	squeeze(&text, name);
	e = strmap_get(&d->scoped, text.s);
	strbuf_release(&text);
	if (e)
		*die = e->die;
	return e;
}

const char *dwarf_scoped_name(struct dwarf *d, Dwarf_Die *die)
{
	const char *full = "", *name;
	Dwarf_Die *scopes;
	int n = dwarf_getscopes_die(die, &scopes);

	if (n <= 0)
		return NULL;
	for (int i = n - 1; i >= 0; i--) {
		int tag = dwarf_tag(&scopes[i]);

		name = tag == DW_TAG_compile_unit || tag == DW_TAG_partial_unit ||
				       tag == DW_TAG_type_unit
			       ? NULL
			       : dwarf_name(d, &scopes[i]);
		if (name)
			full = join(d, full, name);
	}
	free(scopes);
	return full;
}

/* Is it the whole name, or its end behind a `::`? */
static bool names_same(const char *whole, const char *name)
{
	size_t n = strlen(whole), m = strlen(name);

	return n >= m && strcmp(whole + n - m, name) == 0 &&
	       (n == m || (n - m > 2 && whole[n - m - 1] == ':'));
}

const struct dwent *dwarf_scoped_variables(struct dwarf *d, const char *name)
{
	const char *last = name, *next;
	char text[DEMANGLED_MAX];
	Dwarf_Attribute a;

	while ((next = inner_scope(last)))
		last = next;
	if (last == name)
		return NULL;
	for (struct dwent *e = strmap_get(&d->vars, last); e; e = e->next) {
		const char *symbol = dwarf_attr_integrate(&e->die, DW_AT_linkage_name, &a)
					     ? dwarf_formstring(&a)
					     : NULL;

		if (e->has_addr && symbol && demangle(symbol, false, text) &&
		    names_same(text, name))
			return e;
	}
	return NULL;
}
