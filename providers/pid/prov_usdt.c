/*
 * prov_usdt.c: static probes of programs and libraries (symbols/sdt.h), each under the provider
 * that its author named, with the process ID behind: postgresql1234:::query-start. Processes and
 * breakpoints are the pid provider's; here is what notes mean: names, locations, arguments.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "base/glob.h"
#include "base/strbuf.h"
#include "dlang/typesource.h"
#include "providers/pid/pid_priv.h"
#include "symbols/sdt.h"

#define MAX_NAME 256

/* What a location knows of its note. */
struct usdt_site {
	const struct sdt_note *note;
	struct sdt_arg args[SDT_MAX_ARGS]; /* symbols are resolved: in disp */
	unsigned nargs;
	bool is_raised;				  /* the semaphore, by this site */
	uint64_t more[SDT_MAX_ARGS - EVENT_ARGS]; /* of the hit: what an event has no room for */
};

/* A name with a process ID, or a pattern. pid123, fpid123 and linux-ext4 are others' alone. */
static bool usdt_on_demand(const char *prov)
{
	size_t n = strlen(prov);

	if (!n || glob_is_pattern(prov))
		return true;
	return isdigit((unsigned char)prov[n - 1]) && !isdigit((unsigned char)prov[0]) &&
	       strncmp(prov, "linux-", 6) != 0 && !pid_is_named_by(prov, "pid") &&
	       !pid_is_named_by(prov, "fpid");
}

/* ---- names ---- */

/* "__" of C is "-" in D. */
static void probe_name(const char *text, char *name, size_t size)
{
	size_t n = 0;

	while (*text && n + 1 < size) {
		bool is_dash = text[0] == '_' && text[1] == '_';

		name[n] = '-';
		if (!is_dash)
			name[n] = *text;
		n++;
		text += is_dash ? 2 : 1;
	}
	name[n] = '\0';
}

static bool field_means(const char *pattern, const char *name)
{
	char plain[MAX_NAME];

	if (!*pattern || glob_is_pattern(pattern))
		return !*pattern || glob_match(pattern, name);
	glob_unescape(pattern, plain, sizeof(plain));
	return !strcmp(plain, name);
}

static pid_t pid_of_names(const struct pid_proc *pp)
{
	return pp->root ? pp->root->pid : pp->pid;
}

/* ---- locations ---- */

/* The addresses of symbols become numbers; what another file has to say is not recorded. */
static void resolve(struct usdt_site *u, const struct module *m, const struct objfile *o)
{
	for (unsigned i = 0; i < u->nargs; i++) {
		struct sdt_arg *a = &u->args[i];
		char name[MAX_NAME];
		taddr_t addr;
		uint64_t size;

		if (!a->symbol)
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)a->symbol_len, a->symbol);
		if (!a->segment && objfile_symbol(o, name, &addr, &size))
			a->disp += (int64_t)(addr + m->bias);
		else
			a->place = SDT_NOWHERE;
	}
}

static struct usdt_site *new_usdt(const struct sdt_note *note, const struct module *m,
				  const struct objfile *o)
{
	struct usdt_site *u = xcalloc(1, sizeof(*u));

	u->note = note;
	u->nargs = sdt_parse_args(note->args, u->args);
	resolve(u, m, o);
	return u;
}

int usdt_provide_note(struct pid_proc *pp, struct module *m, const struct sdt_note *note,
		      struct probe *p, int *tag, struct err *err)
{
	struct objfile *o = module_objfile(m, NULL);
	struct pid_site what = {.mod = m, .addr = note->pc};
	struct pid_probe *pr = p->arg;
	int r;

	if (!o)
		return 0;
	what.func = objfile_at(o, note->pc);
	for (const struct pid_site *site = pr->sites; site; site = site->next)
		if (site->addr == note->pc && site->mod == m && site->proc == pp)
			return 0;
	what.usdt = new_usdt(note, m, o);
	r = pid_new_site(pp, pr, &what, tag, err);
	if (!pr->sites || pr->sites->usdt != what.usdt)
		usdt_free(what.usdt);
	return r;
}

static int provide_note(struct session *s, struct pid_proc *pp, struct module *m,
			const struct sdt_note *note, const char *prov, const char *name, bool exact,
			int *tag, struct err *err)
{
	struct objfile *o = module_objfile(m, NULL);
	const struct func *func = o ? objfile_at(o, note->pc) : NULL;
	struct probe *p;

	if (!o)
		return 0;
	p = probe_create(s, &prov_usdt, prov, m->name, func ? func->name : "", name, NULL);
	pid_probe_of(p, &pid_site_ops, PID_USDT)->exact |= exact;
	return usdt_provide_note(pp, m, note, p, tag, err);
}

static int provide_module(struct session *s, struct pid_proc *pp, struct module *m,
			  const struct probe_desc *d, int *tag, struct err *err)
{
	bool exact = *d->name && !glob_is_pattern(d->name);
	struct objfile *o = module_headers(m);
	const struct sdt_note *notes;
	unsigned n = o ? objfile_sdt(o, &notes) : 0;
	int r = 0;

	for (unsigned i = 0; i < n && !r; i++) {
		char prov[MAX_NAME], name[MAX_NAME];

		snprintf(prov, sizeof(prov), "%s%d", notes[i].provider, pid_of_names(pp));
		probe_name(notes[i].name, name, sizeof(name));
		if (field_means(d->prov, prov) && field_means(d->name, name))
			r = provide_note(s, pp, m, &notes[i], prov, name, exact, tag, err);
	}
	return r;
}

static bool means_process(const struct probe_desc *d, const struct pid_proc *pp)
{
	char digits[16];
	size_t n = (size_t)snprintf(digits, sizeof(digits), "%d", pid_of_names(pp));
	size_t len = strlen(d->prov);

	return !len || glob_is_pattern(d->prov) || (len > n && !strcmp(d->prov + len - n, digits));
}

/* A process that is named and not known yet is attached to; patterns mean those that are known. */
static int provide(struct session *s, const struct probe_desc *d, int *tag, struct err *err)
{
	const struct pid_world *pw = pid_world_of(world_of(s));
	bool is_known = !d || !*d->prov || glob_is_pattern(d->prov);
	int r = 0;

	if (!d || world_of(s)->has_hits)
		return 0;
	for (const struct pid_proc *pp = pw->procs; pp && !is_known; pp = pp->next)
		is_known = means_process(d, pp);
	if (!is_known && !pid_find_proc(s, d->prov, tag, err))
		return -EINVAL;
	for (struct pid_proc *pp = pw->procs; pp && !r; pp = pp->next) {
		struct module **mods;
		unsigned n;

		if (!pp->proc || !means_process(d, pp) || (pw->rematching && pw->rematching != pp))
			continue;
		n = pid_match_modules(pp, d->mod, &mods);
		for (unsigned i = 0; i < n && !r; i++)
			if (!pw->rematching || mods[i]->fresh)
				r = provide_module(s, pp, mods[i], d, tag, err);
	}
	return r;
}

static void suggest(struct session *s, const struct probe_desc *d, enum desc_field field,
		    void (*fn)(void *, const char *), void *arg)
{
	const struct pid_world *pw = pid_world_of(world_of(s));

	if (field != DESC_PROV && field != DESC_NAME)
		return;
	for (const struct pid_proc *pp = pw->procs; pp; pp = pp->next)
		for (struct module *m = pp->proc ? pp->modules->list : NULL; m; m = m->next) {
			struct objfile *o = module_headers(m);
			const struct sdt_note *notes;
			unsigned n = o ? objfile_sdt(o, &notes) : 0;

			for (unsigned i = 0; i < n; i++) {
				char prov[MAX_NAME], name[MAX_NAME];

				snprintf(prov, sizeof(prov), "%s%d", notes[i].provider,
					 pid_of_names(pp));
				probe_name(notes[i].name, name, sizeof(name));
				if (field == DESC_PROV)
					fn(arg, prov);
				else if (field_means(d->prov, prov))
					fn(arg, name);
			}
		}
}

/*
 * Notes may say anything: nothing is patched within an instruction. In a function that does not
 * decode to its end only the nop of the macros is believed.
 */
int usdt_check(const struct pid_site *site, struct err *err)
{
	struct objfile *o = module_objfile(site->mod, err);
	uint32_t *offs = NULL;
	bool decoded = false, found = false;
	unsigned n, i = 0;
	uint8_t byte = 0;

	if (!o)
		return err->code;
	n = site->func ? objfile_insns(o, site->func, &offs, &decoded) : 0;
	while (i < n && site->func->addr + offs[i] < site->addr)
		i++;
	found = decoded && i < n && site->func->addr + offs[i] == site->addr;
	free(offs);
	if (!decoded)
		found = objfile_bytes(o, site->addr, &byte, 1) == 1 && byte == 0x90;
	return found ? 0
		     : err_set(err, -EINVAL, "its note does not point at an instruction: 0x%lx",
			       site->addr);
}

/* ---- semaphores ---- */

int usdt_raise(struct pid_site *site, struct err *err)
{
	struct usdt_site *u = site->usdt;
	int r;

	if (!u->note->semaphore)
		return 0;
	r = proc_raise_semaphore(site->proc->proc, u->note->semaphore + site->mod->bias, err);
	u->is_raised = r == 0;
	return r;
}

void usdt_lower(struct pid_site *site)
{
	struct usdt_site *u = site->usdt;

	if (u->is_raised)
		proc_lower_semaphore(site->proc->proc, u->note->semaphore + site->mod->bias,
				     site->mod->gone);
	u->is_raised = false;
}

void usdt_free(struct usdt_site *u)
{
	free(u);
}

/* ---- arguments ---- */

static uint64_t reg_value(const struct user_regs_struct *r, int number)
{
	const uint64_t regs[] = {r->rax, r->rcx, r->rdx, r->rbx, r->rsp, r->rbp, r->rsi, r->rdi,
				 r->r8,	 r->r9,	 r->r10, r->r11, r->r12, r->r13, r->r14, r->r15};

	return number == SDT_NO_REG ? 0 : regs[number];
}

/* The lower bytes of a value, as a number of that size. */
static uint64_t extend(uint64_t v, unsigned bytes, bool is_signed)
{
	unsigned unused = 64 - 8 * bytes;

	v <<= unused;
	return is_signed ? (uint64_t)((int64_t)v >> unused) : v >> unused;
}

/* What cannot be read is 0, and no error: the probe has fired. */
static uint64_t arg_value(const struct sdt_arg *a, const struct event *ev)
{
	const struct user_regs_struct *r = &ev->regs->r;
	uint64_t v = 0, segment = a->segment == 'f'   ? r->fs_base
				  : a->segment == 'g' ? r->gs_base
						      : 0;

	switch (a->place) {
	case SDT_NOWHERE:
	case SDT_XMM: /* args[n] reads it, there is no argn */
		return 0;
	case SDT_CONST:
		v = (uint64_t)a->disp;
		break;
	case SDT_REG:
		v = extend(reg_value(r, a->base) >> a->shift, a->width,
			   a->is_signed && a->width < a->size);
		break;
	case SDT_MEM:
		v = segment + reg_value(r, a->base) + reg_value(r, a->index) * a->scale +
		    (uint64_t)a->disp;
		if (target_read(ev->target, v, &v, a->size) != a->size)
			return 0;
		break;
	}
	return extend(v, a->size, a->is_signed);
}

void usdt_args(struct event *ev, struct usdt_site *u)
{
	for (unsigned i = 0; i < MIN(u->nargs, EVENT_ARGS); i++)
		ev->args[i] = arg_value(&u->args[i], ev);
	for (unsigned i = EVENT_ARGS; i < u->nargs; i++)
		u->more[i - EVENT_ARGS] = arg_value(&u->args[i], ev);
	ev->more_args = u->more;
}

/* ---- types ---- */

static const struct type *type_by_size(const struct types *ts, const struct sdt_arg *a)
{
	switch (a->size) {
	case 1:
		return a->is_signed ? ts->t_char : ts->t_uchar;
	case 2:
		return a->is_signed ? ts->t_short : ts->t_ushort;
	case 4:
		return a->is_float ? ts->t_float : a->is_signed ? ts->t_int : ts->t_uint;
	default:
		return a->is_float ? ts->t_double : a->is_signed ? ts->t_word : ts->t_uword;
	}
}

/* A type without its stars: it may be the target's. */
static const struct type *base_type(struct session *s, const char *name)
{
	bool is_const = strncmp(name, "const ", 6) == 0;
	const struct type *t;

	name += is_const ? 6 : 0;
	t = types_lookup(&s->engine->types, name);
	if (!t && s->engine->typesource)
		t = s->engine->typesource->type(s, NULL, name);
	return t && is_const ? type_qualified(&s->engine->types, TYPE_CONST, t) : t;
}

static const struct type *type_by_name(struct session *s, const char *text)
{
	size_t n = strlen(text), stars = 0;
	const struct type *t;
	char base[MAX_NAME];

	while (n && (text[n - 1] == '*' || text[n - 1] == ' '))
		stars += text[--n] == '*';
	snprintf(base, sizeof(base), "%.*s", (int)n, text);
	t = base_type(s, base);
	while (t && stars--)
		t = type_target_pointer(&s->engine->types, t);
	return t;
}

/* The next of "int, char *", or NULL; *text moves behind it. */
static const struct type *take_type(struct session *s, const char **text)
{
	char name[MAX_NAME];
	size_t n;

	*text += strspn(*text, ", ");
	n = strcspn(*text, ",");
	snprintf(name, sizeof(name), "%.*s", (int)n, *text);
	*text += n;
	return *name ? type_by_name(s, name) : NULL;
}

void usdt_argtypes(struct probe *p, struct probe_args *args)
{
	const struct pid_site *site = ((struct pid_probe *)p->arg)->sites;
	struct session *s = p->session;
	struct probe_arg *v;
	const struct usdt_site *u;
	const char *types;

	memset(args, 0, sizeof(*args));
	if (!site)
		return;
	u = site->usdt;
	types = u->note->types ? u->note->types : "";
	v = arena_alloc(s->arena, (u->nargs + 1) * sizeof(*v));
	for (unsigned i = 0; i < u->nargs; i++) {
		const struct sdt_arg *a = &u->args[i];
		const struct type *t = take_type(s, &types);

		if (!t || type_is_byref(t) || type_size(t) > a->size)
			t = type_by_size(&s->engine->types, a);
		v[i] = (struct probe_arg){.place = ARG_VALUE, .at = i};
		v[i].type =
			type_is_pointer(t) ? type_userland(&s->engine->types, type_resolve(t)) : t;
		if (a->place == SDT_NOWHERE) {
			v[i].place = ARG_NOWHERE;
			v[i].why = "where it is cannot be told from the note";
		} else if (a->place == SDT_XMM || i >= EVENT_ARGS) {
			v[i].place = ARG_WORDS;
			v[i].nwords = 1;
			v[i].words[0] =
				(uint8_t)(a->place == SDT_XMM ? ARG_WORD_XMM + 2 * (unsigned)a->base
							      : ARG_WORD_MORE + i - EVENT_ARGS);
		}
	}
	args->v = v;
	args->n = u->nargs;
}

const struct provider prov_usdt = {
	.name = "usdt",
	.on_demand = usdt_on_demand,
	.provide = provide,
	.suggest = suggest,
	.matches = pid_matches,
	.hits = HITS_ARGS,
	.knows_args = true,
	.enable = pid_enable,
	.disable = pid_disable,
	.argtypes = usdt_argtypes,
	.ustack = pid_ustack,
	.stop_process = pid_stop_process,
	.raise_signal = pid_raise_signal,
};
