#include "command/complete.h"

#include <stdlib.h>

#include "base/cleanname.h"
#include "base/strbuf.h"
#include "dlang/parse/hint.h"
#include "command/tool/tool.h"
#include "providers/world/procfind.h"
#include "providers/providers.h"
#include "providers/world/world.h"

/* Completions, each once, in order. */
struct found {
	const char *prefix; /* only those that begin so */
	char **v;
	unsigned n, room;
	bool has_empty;
};

static void add(void *arg, const char *name)
{
	struct found *f = arg;

	f->has_empty |= !*name;
	/* what programs call themselves ends on a command line: only what can stand there */
	if (!*name || !name_is_clean(name, strlen(name)) ||
	    strncmp(name, f->prefix, strlen(f->prefix)) != 0)
		return;
	if (f->n == f->room) {
		f->room = 2 * f->room + 64;
		f->v = xrealloc(f->v, f->room * sizeof(*f->v));
	}
	f->v[f->n++] = xstrdup(name);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Prints them between `before` and `behind`, and forgets them. */
static void print(struct found *f, const char *before, const char *behind)
{
	if (f->n)
		qsort(f->v, f->n, sizeof(*f->v), by_name);
	for (unsigned i = 0; i < f->n; i++)
		if (i + 1 == f->n || strcmp(f->v[i], f->v[i + 1]) != 0)
			printf("%s%s%s\n", before, f->v[i], behind);
	for (unsigned i = 0; i < f->n; i++)
		free(f->v[i]);
	free(f->v);
	*f = (struct found){.prefix = f->prefix};
}

/* ---- probes ---- */

/* Providers of processes have the process in their names. */
static void complete_provider(struct session *s, const char *prefix)
{
	static const struct probe_desc any = {"", "", "", "", 0};
	struct found f = {.prefix = prefix};

	for (unsigned i = 0; i < s->nproviders; i++) {
		const struct provider *pv = s->providers[i];

		if (!strcmp(pv->name, "pid") || !strcmp(pv->name, "fpid"))
			add(&f, pv == &prov_pid ? "pid$target" : "fpid$target");
		else if (pv != &prov_usdt && !pv->suggest)
			add(&f, pv->name);
		else if (pv->suggest)
			pv->suggest(s, &any, DESC_PROV, add, &f);
	}
	print(&f, "", ":");
	for (uint32_t id = 1; id <= s->nprobes; id++) { /* those that are known by their names */
		const struct probe *p = probe_by_id(s, id);

		if (p->provider == &prov_dtrace ||
		    (p->provider == &prov_profile && strchr(prefix, '-')))
			add(&f, p->name);
	}
	print(&f, "", "");
}

/* Where all probes leave a field empty the next is meant. */
static void complete_fields(struct session *s, char *text)
{
	const char *fields[4] = {"", "", "", ""};
	struct strbuf before;
	unsigned n = 0;
	char *p = text;

	strbuf_init(&before);
	for (char *colon; n < DESC_NAME && (colon = strchr(p, ':')); p = colon + 1) {
		*colon = '\0';
		fields[n++] = p;
		strbuf_addf(&before, "%s:", p);
	}
	for (; n <= DESC_NAME; n++) {
		const struct probe_desc d = {fields[0], fields[1], fields[2], fields[3], 0};
		struct found f = {.prefix = p};

		desc_candidates(s, &d, n, add, &f);
		if (f.n || *p || !f.has_empty) {
			print(&f, before.s, n == DESC_NAME ? "" : ":");
			break;
		}
		strbuf_addc(&before, ':');
	}
	strbuf_release(&before);
}

static void complete_probe(struct session *s, const char *prefix)
{
	static struct world w; /* one per process by nature: this one does nothing else */
	struct err ignored;
	char *text;

	/* the kernel's functions are too many to be listed while somebody types */
	if (!strncmp(prefix, "fbt:", 4))
		return;
	session_init_engine(s);
	w.session = s;
	s->engine->world = &w;
	if (probes_provide(s, &ignored) < 0)
		return;
	if (!strchr(prefix, ':')) {
		complete_provider(s, prefix);
		return;
	}
	text = xstrdup(prefix);
	complete_fields(s, text);
	free(text);
}

/* ---- options, processes ---- */

static void complete_option(const char *prefix)
{
	const char *equals = strchr(prefix, '=');
	char name[32];
	struct found f = {.prefix = equals ? equals + 1 : prefix};
	const char *const *words = NULL;

	snprintf(name, sizeof(name), "%.*s", equals ? (int)(equals - prefix) : 0, prefix);
	for (unsigned i = 0; !equals && i < NOPTS; i++)
		add(&f, options_name(i));
	if (equals)
		words = options_words(name);
	for (; words && *words; words++)
		add(&f, *words);
	snprintf(name + strlen(name), sizeof(name) - strlen(name), "%s", equals ? "=" : "");
	print(&f, name, "");
}

static void complete_process(const char *prefix)
{
	struct found f = {.prefix = prefix};

	procfind_names(add, &f);
	print(&f, "", "");
}

static void complete_tool(const char *prefix)
{
	struct found f = {.prefix = prefix};

	tools_each(add, &f);
	print(&f, "", "");
}

int complete_print(struct session *s, const char *what, const char *prefix)
{
	if (!strcmp(what, "probe"))
		complete_probe(s, prefix);
	else if (!strcmp(what, "option"))
		complete_option(prefix);
	else if (!strcmp(what, "process"))
		complete_process(prefix);
	else if (!strcmp(what, "tool"))
		complete_tool(prefix);
	else
		return 1;
	return 0;
}
