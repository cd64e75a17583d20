#include "providers/hits/hitformat.h"

#include <ctype.h>

#include "base/cleanname.h"
#include "providers/kernel/tracefs/tracefs.h"

#define NAME_MAX_CHARS 120
/* What is left of the fields is for texts and memory. */
#define ALIASES_END (2 * HIT_WORDS_MAX)

const char *const hit_fact_names[HIT_NFACTS] = {
	[HIT_ARGUMENTS] = "arguments",
	[HIT_IDS] = "ids",
	[HIT_FILE] = "file",
};

/* ---- fields ---- */

static bool has_name(const struct hit_format *f, const char *name)
{
	for (unsigned i = 0; i < f->nfields; i++)
		if (strcmp(f->fields[i].name, name) == 0)
			return true;
	return false;
}

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* As a field of C; another of that name has a number behind it. */
static void set_name(const struct hit_format *f, struct hit_field *to, const char *name)
{
	char plain[48];
	size_t n = 0;

	if (isdigit((unsigned char)name[0]))
		plain[n++] = '_';
	for (; *name && n + 1 < sizeof(plain); name++)
		plain[n++] = is_word_char(*name) ? *name : '_';
	plain[n] = '\0';
	snprintf(to->name, sizeof(to->name), "%s", plain);
	for (unsigned i = 2; has_name(f, to->name); i++)
		snprintf(to->name, sizeof(to->name), "%s_%u", plain, i);
}

struct hit_field *hit_add_field(struct hit_format *f, const char *name, uint32_t size)
{
	struct hit_field *new = &f->fields[f->nfields];

	if (f->nfields == ARRAY_SIZE(f->fields))
		return NULL;
	*new = (struct hit_field){.size = size};
	set_name(f, new, name);
	if (!f->size)
		f->size = TP_COMMON_SIZE;
	new->offset = f->size = ROUND_UP(f->size, size >= 8 ? 8 : 4);
	f->size += size;
	f->nfields++;
	return new;
}

void hit_add_alias(struct hit_format *f, const char *name)
{
	char text[sizeof(f->fields[0].name)];
	struct hit_field *new;

	for (const char *c = name; *c; c++)
		if (!is_word_char(*c))
			return;
	snprintf(text, sizeof(text), HIT_ALIAS "%s", name);
	if (strlen(name) + sizeof(HIT_ALIAS) > sizeof(text) - 16 || has_name(f, text) ||
	    f->nfields >= ALIASES_END)
		return;
	new = hit_add_field(f, "", 0);
	snprintf(new->name, sizeof(new->name), "%s", text);
	new->is_array = true;
}

/* ---- writing ---- */

static void add_part(char *name, size_t size, const char *part)
{
	size_t n = strlen(name);

	if (!*part || n + 2 >= size)
		return;
	if (n)
		name[n++] = '_';
	for (; *part && n + 1 < size; part++)
		name[n++] = is_word_char(*part) ? *part : '_';
	name[n] = '\0';
}

void hit_event_name(const struct probe *p, char *name, size_t size)
{
	size = MIN(size, NAME_MAX_CHARS);
	name[0] = '\0';
	if (isdigit((unsigned char)p->prov[0]))
		snprintf(name, size, "_");
	add_part(name, size, p->prov);
	add_part(name, size, p->func[0] ? p->func : p->mod);
	add_part(name, size, p->name);
}

/* As text between quotes of a format: nothing in it is a conversion, or the end. */
static void add_quoted(struct strbuf *out, const char *before, const char *text)
{
	strbuf_addf(out, "\"%s", before);
	for (; *text; text++) {
		if (*text == '%')
			strbuf_addc(out, '%');
		if (*text == '"' || *text == '\\')
			strbuf_addc(out, '\\');
		strbuf_addc(out, *text);
	}
	strbuf_addc(out, '"');
}

static void declare(const struct hit_field *f, struct strbuf *out)
{
	const unsigned long n = f->size;

	if (f->is_text)
		strbuf_addf(out, "\tfield:__data_loc %s[] %s;",
			    strcmp(f->name, HIT_MEMORY) == 0 ? "unsigned char" : "char", f->name);
	else if (f->is_array)
		strbuf_addf(out, "\tfield:%s %s[%lu];", f->is_bytes ? "unsigned char" : "char",
			    f->name, n);
	else
		strbuf_addf(out, "\tfield:%s %s;", f->type, f->name);
	strbuf_addf(out, "\toffset:%u;\tsize:%u;\tsigned:%d;\n", f->offset, f->size, f->is_signed);
}

static bool is_number(const struct hit_field *f)
{
	return !f->is_text && !f->is_array && !f->is_plain && !strchr(f->type, '*');
}

static const char *conversion(const struct hit_field *f)
{
	if (f->is_text || f->is_array)
		return "\\\"%s\\\"";
	if (!is_number(f))
		return "0x%lx";
	if (f->size == 8)
		return f->is_signed ? "%ld" : "%lu";
	return f->is_signed ? "%d" : "%u";
}

static bool is_printed(const struct hit_field *f)
{
	return f->size && !f->is_bytes && strcmp(f->name, HIT_MEMORY) != 0;
}

static void write_print(const struct probe *p, const struct hit_format *f, struct strbuf *out)
{
	const char *const rest[] = {p->mod, p->func, p->name};

	strbuf_adds(out, "\nprint fmt: ");
	add_quoted(out, "", p->prov);
	for (unsigned i = 0; i < ARRAY_SIZE(rest); i++) {
		strbuf_addc(out, ' ');
		add_quoted(out, ":", rest[i]);
	}
	strbuf_adds(out, " \"");
	for (unsigned i = 0; i < f->nfields; i++)
		if (is_printed(&f->fields[i]))
			strbuf_addf(out, " %s=%s", f->fields[i].name, conversion(&f->fields[i]));
	strbuf_addc(out, '"');
	for (unsigned i = 0; i < f->nfields; i++)
		if (is_printed(&f->fields[i]))
			strbuf_addf(out, f->fields[i].is_text ? ", __get_str(%s)" : ", REC->%s",
				    f->fields[i].name);
	strbuf_addc(out, '\n');
}

void hit_write_format(const struct probe *p, const char *name, unsigned number,
		      const struct hit_format *f, struct strbuf *out)
{
	strbuf_addf(out,
		    "name: %s\nID: %u\nformat:\n"
		    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n",
		    name, number);
	for (unsigned i = 0; i < f->nfields; i++)
		declare(&f->fields[i], out);
	write_print(p, f, out);
}

/* ---- reading ---- */

/* The text between the next quotes, as it was before add_quoted(). False: it has no end. */
static bool take_quoted(const char **at, struct strbuf *out)
{
	const char *s = *at + strspn(*at, " ");

	strbuf_clear(out);
	if (*s++ != '"')
		return false;
	for (; *s && *s != '"' && *s != '\n'; s++) {
		if ((*s == '\\' || *s == '%') && s[1] && s[1] != '\n')
			s++;
		strbuf_addc(out, *s);
	}
	*at = s + (*s == '"');
	return *s == '"' && out->len < NAME_MOST;
}

bool hit_read_names(struct arena *a, const char *format, const char *names[4])
{
	static const char start[] = "\nprint fmt:";
	const char *at = strstr(format, start);
	struct strbuf part;
	bool is_ours = true;

	if (!at)
		return false;
	at += sizeof(start) - 1;
	strbuf_init(&part);
	for (unsigned i = 0; i < 4 && is_ours; i++) {
		is_ours = take_quoted(&at, &part) && (i ? part.s[0] == ':' : part.len > 0);
		if (is_ours)
			names[i] = name_cleaned(a, arena_strdup(a, part.s + (i > 0)));
	}
	strbuf_release(&part);
	return is_ours;
}
