#include "dlang/print/units.h"

#include <errno.h>
#include <ctype.h>
#include <string.h>

#include "base/err.h"
#include "dlang/print/keytext.h"

static const struct {
	const char *word, *base;
	unsigned shift;
} known[] = {
	{"ns", "seconds", 9}, {"us", "seconds", 6},  {"ms", "seconds", 3},
	{"s", "seconds", 0},  {"bytes", "bytes", 0},
};

/* ---- NAME:TEXT, one a line ---- */

struct entry {
	const char *name, *text;
	size_t nname, ntext;
};

/* False: there is none left. text NULL: it has no ':'. */
static bool next_entry(const char **list, struct entry *e)
{
	const char *line = *list, *colon;
	size_t n;

	if (!line || !*line)
		return false;
	n = strcspn(line, "\n");
	*list = line + n + (line[n] == '\n');
	e->name = *line == '@' ? line + 1 : line;
	colon = memchr(line, ':', n);
	e->nname = colon ? (size_t)(colon - e->name) : n;
	e->text = colon ? colon + 1 : NULL;
	e->ntext = colon ? (size_t)(line + n - e->text) : 0;
	return true;
}

/* The last one of an aggregation counts. */
static bool find_entry(const char *list, const struct aggvar *var, struct entry *found)
{
	const char *name = keytext_aggname(var);
	bool is_found = false;
	struct entry e;

	while (next_entry(&list, &e)) {
		if (!e.text || e.nname != strlen(name) || memcmp(e.name, name, e.nname))
			continue;
		*found = e;
		is_found = true;
	}
	return is_found;
}

static bool is_word(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)s[i]) && s[i] != '_')
			return false;
	return n > 0 && n < UNIT_SIZE;
}

static int check_list(const char *list, const char *option, bool is_unit, struct err *err)
{
	while (list && *list) {
		const char *line = list;
		struct entry e;

		next_entry(&list, &e);
		if (is_unit ? !is_word(e.text, e.ntext) : !e.ntext)
			return err_set(err, -EINVAL, "%s=%.*s: say NAME:%s, as %s", option,
				       (int)strcspn(line, "\n"), line, is_unit ? "UNIT" : "TEXT",
				       is_unit ? "lat:ns (ns, us, ms, s, bytes, or another word)"
					       : "lat:Latency of reads");
	}
	return 0;
}

int units_check(const struct options *o, struct err *err)
{
	int rc = check_list(o->text[OPT_AGGUNIT], "aggunit", true, err);

	return rc ? rc : check_list(o->text[OPT_AGGTITLE], "aggtitle", false, err);
}

bool unit_of(const struct options *o, const struct aggvar *var, struct unit *u)
{
	struct entry e;

	if (var->func->id == AGG_COUNT || !find_entry(o->text[OPT_AGGUNIT], var, &e))
		return false;
	if (!is_word(e.text, e.ntext))
		return false;
	*u = (struct unit){.shift = 0};
	memcpy(u->word, e.text, e.ntext);
	memcpy(u->base, e.text, e.ntext);
	for (unsigned i = 0; i < ARRAY_SIZE(known); i++) {
		if (strcmp(known[i].word, u->word))
			continue;
		snprintf(u->base, sizeof(u->base), "%s", known[i].base);
		u->shift = known[i].shift;
	}
	return true;
}

const char *unit_word(const struct options *o, const struct aggvar *var, struct unit *u)
{
	if (var->func->id == AGG_COUNT)
		return "count";
	return unit_of(o, var, u) ? u->word : "";
}

void unit_add_title(const struct options *o, const struct aggvar *var, struct strbuf *out)
{
	struct entry e;

	if (find_entry(o->text[OPT_AGGTITLE], var, &e))
		strbuf_add(out, e.text, e.ntext);
	else
		strbuf_addf(out, "@%s", keytext_aggname(var));
}

/* ---- numbers ---- */

/* "1" and zeros: the power of ten it is; -1: it is none. */
static int power_of_ten(const char *digits)
{
	size_t n = strlen(digits);

	return *digits == '1' && strspn(digits + 1, "0") == n - 1 ? (int)n - 1 : -1;
}

static void add_point(struct strbuf *out, const char *digits, unsigned shift, bool is_float)
{
	size_t n = strlen(digits), nint = n > shift ? n - shift : 0, end = n;

	while (end > nint && digits[end - 1] == '0')
		end--;
	if (nint)
		strbuf_add(out, digits, nint);
	else
		strbuf_addc(out, '0');
	if (end > nint) {
		strbuf_addc(out, '.');
		for (size_t i = n; i < shift; i++)
			strbuf_addc(out, '0');
		strbuf_add(out, digits + nint, end - nint);
	} else if (is_float) {
		strbuf_adds(out, ".0");
	}
}

void unit_add_shifted(struct strbuf *out, const char *digits, unsigned shift, bool is_float)
{
	int power;

	if (*digits == '-') {
		strbuf_addc(out, '-');
		digits++;
	}
	power = power_of_ten(digits);
	if (is_float && power >= 0 && (power - (int)shift >= 6 || power - (int)shift <= -5))
		strbuf_addf(out, "1e%c%02d", power < (int)shift ? '-' : '+',
			    power < (int)shift ? (int)shift - power : power - (int)shift);
	else
		add_point(out, digits, shift, is_float);
}
