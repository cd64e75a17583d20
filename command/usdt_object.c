/*
 * usdt_object.c: -G. Each function that the object files call in vain becomes a placeholder: a nop
 * with a note whose operands are where the ABI passes the arguments, and a return.
 */
#include <errno.h>
#include <stdlib.h>

#include "command/usdt_build.h"
#include "dlang/session_engine.h"
#include "symbols/relobj.h"

struct building {
	struct session *s;
	struct relobj *o;
	struct strbuf *text, *notes, *probes, *types;
	unsigned text_at, notes_at, probes_at;
	unsigned text_symbol, base_symbol;
	char **called; /* what the objects call */
	size_t ncalled, room;
};

static void note_call(void *arg, const char *name)
{
	struct building *b = arg;

	if (strncmp(name, "__dtrace", 8) != 0)
		return;
	if (b->ncalled == b->room) {
		b->room = 2 * b->room + 16;
		b->called = xrealloc(b->called, b->room * sizeof(*b->called));
	}
	b->called[b->ncalled++] = xstrdup(name);
}

static bool is_called(const struct building *b, const char *name)
{
	for (size_t i = 0; i < b->ncalled; i++)
		if (strcmp(b->called[i], name) == 0)
			return true;
	return false;
}

/* ---- notes ---- */

static void add_note_head(struct strbuf *out, const char *owner, size_t desc, uint32_t type)
{
	const Elf64_Nhdr nh = {(uint32_t)strlen(owner) + 1, (uint32_t)desc, type};

	strbuf_add(out, &nh, sizeof(nh));
	strbuf_add(out, owner, nh.n_namesz);
	while (out->len % 4)
		strbuf_addc(out, '\0');
}

static void end_note(struct strbuf *out)
{
	while (out->len % 4)
		strbuf_addc(out, '\0');
}

static void add_text(struct strbuf *out, const char *text)
{
	strbuf_add(out, text, strlen(text) + 1);
}

static void add_types(struct building *b, const struct prov_decl *p, const struct probe_decl *d)
{
	const char *types = usdt_types_text(b->s, d);
	size_t n = strlen(p->name) + strlen(d->symbol) + strlen(types) + 3;

	add_note_head(b->types, "dtrace", n, 1);
	add_text(b->types, p->name);
	add_text(b->types, d->symbol);
	add_text(b->types, types);
	end_note(b->types);
}

/* Where the ABI passes them, at the first instruction of the placeholder. */
static int operands(struct building *b, const struct prov_decl *p, const struct probe_decl *d,
		    struct strbuf *out, struct err *err)
{
	static const char *const regs[] = {"%rdi", "%rsi", "%rdx", "%rcx", "%r8", "%r9"};
	unsigned ints = 0, floats = 0, n = 0, stack = 8;

	for (const struct param *a = d->args; a; a = a->next, n++) {
		struct usdt_arg arg = usdt_arg_of(b->s, a->type);

		if (!arg.size)
			return err_set(err, -EINVAL,
				       "argument #%u of probe %s of provider %s has type %s, which "
				       "no probe can pass",
				       n + 1, d->name, p->name, arg.ctype);
		strbuf_addf(out, "%s%d", n ? " " : "", arg.size);
		if (arg.is_float && floats < 8) {
			strbuf_addf(out, "f@%%xmm%u", floats++);
		} else if (!arg.is_float && ints < ARRAY_SIZE(regs)) {
			strbuf_addf(out, "@%s", regs[ints++]);
		} else {
			strbuf_addf(out, "%s@%u(%%rsp)", arg.is_float ? "f" : "", stack);
			stack += 8;
		}
	}
	return 0;
}

static int add_probe_note(struct building *b, const struct prov_decl *p, const struct probe_decl *d,
			  uint64_t pc, unsigned semaphore, struct err *err)
{
	static const uint64_t zero[3];
	struct strbuf args;
	uint64_t at;
	int rc;

	strbuf_init(&args);
	rc = operands(b, p, d, &args, err);
	if (rc == 0) {
		add_note_head(b->notes, "stapsdt",
			      sizeof(zero) + strlen(p->name) + strlen(d->symbol) + args.len + 3, 3);
		at = b->notes->len;
		strbuf_add(b->notes, zero, sizeof(zero));
		relobj_reloc(b->o, b->notes_at, at, b->text_symbol, R_X86_64_64, (int64_t)pc);
		relobj_reloc(b->o, b->notes_at, at + 8, b->base_symbol, R_X86_64_64, 0);
		relobj_reloc(b->o, b->notes_at, at + 16, semaphore, R_X86_64_64, 0);
		add_text(b->notes, p->name);
		add_text(b->notes, d->symbol);
		add_text(b->notes, args.s);
		end_note(b->notes);
	}
	strbuf_release(&args);
	return rc;
}

/* ---- placeholders ---- */

static unsigned add_semaphore(struct building *b, const char *prov, const char *probe)
{
	const char *name = arena_printf(b->s->arena, "%s_%s_semaphore", prov, probe);
	unsigned symbol = relobj_symbol(b->o, name, STB_WEAK, STT_OBJECT, STV_HIDDEN, b->probes_at,
					b->probes->len, 2);

	strbuf_add(b->probes, "\0", 2);
	return symbol;
}

static int add_placeholders(struct building *b, const struct prov_decl *p,
			    const struct probe_decl *d, struct err *err)
{
	static const char nop_ret[] = "\x90\xc3", movzwl[] = "\x0f\xb7\x05\0\0\0\0\xc3";
	const char *fire = arena_printf(b->s->arena, "__dtrace_%s___%s", p->name, d->symbol);
	const char *ask = arena_printf(b->s->arena, "__dtraceenabled_%s___%s", p->name, d->symbol);
	bool fires = is_called(b, fire), asks = is_called(b, ask);
	unsigned semaphore;
	int rc = 0;

	if (!fires && !asks)
		return 0;
	semaphore = add_semaphore(b, p->name, d->symbol);
	if (fires) {
		rc = add_probe_note(b, p, d, b->text->len, semaphore, err);
		relobj_symbol(b->o, fire, STB_WEAK, STT_FUNC, STV_HIDDEN, b->text_at, b->text->len,
			      2);
		strbuf_add(b->text, nop_ret, 2);
	}
	if (asks) { /* movzwl semaphore(%rip),%eax; ret */
		relobj_symbol(b->o, ask, STB_WEAK, STT_FUNC, STV_HIDDEN, b->text_at, b->text->len,
			      8);
		relobj_reloc(b->o, b->text_at, b->text->len + 3, semaphore, R_X86_64_PC32, -4);
		strbuf_add(b->text, movzwl, 8);
	}
	return rc;
}

/* ---- the whole ---- */

static void begin(struct building *b)
{
	unsigned base;

	b->o = relobj_new();
	b->text = relobj_section(b->o, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 16,
				 &b->text_at);
	b->probes = relobj_section(b->o, ".probes", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 2,
				   &b->probes_at);
	b->notes = relobj_section(b->o, ".note.stapsdt", SHT_NOTE, 0, 4, &b->notes_at);
	b->types = relobj_section(b->o, ".note.dtrace", SHT_NOTE, 0, 4, NULL);
	relobj_section(b->o, ".note.GNU-stack", SHT_PROGBITS, 0, 1, NULL);
	b->text_symbol =
		relobj_symbol(b->o, "", STB_LOCAL, STT_SECTION, STV_DEFAULT, b->text_at, 0, 0);
	relobj_comdat(b->o, ".stapsdt.base");
	strbuf_addc(relobj_section(b->o, ".stapsdt.base", SHT_PROGBITS, SHF_ALLOC | SHF_GROUP, 1,
				   &base),
		    '\0');
	b->base_symbol =
		relobj_symbol(b->o, "_.stapsdt.base", STB_WEAK, STT_NOTYPE, STV_HIDDEN, base, 0, 1);
}

int usdt_object(struct session *s, const struct source *src, const char *const *objects,
		unsigned nobjects, struct strbuf *out, struct err *err)
{
	struct building b = {.s = s};
	int rc = 0;

	for (unsigned i = 0; i < nobjects && rc == 0; i++)
		rc = relobj_undefined(objects[i], note_call, &b, err);
	begin(&b);
	for (const struct prov_decl *p = s->engine->prov_decls; p && rc == 0; p = p->next) {
		if (p->is_library || (src && p->src != src))
			continue;
		for (const struct probe_decl *d = p->probes; d && rc == 0; d = d->next) {
			add_types(&b, p, d);
			rc = add_placeholders(&b, p, d, err);
		}
	}
	if (rc == 0)
		relobj_write(b.o, out);
	relobj_free(b.o);
	for (size_t i = 0; i < b.ncalled; i++)
		free(b.called[i]);
	free(b.called);
	return rc;
}
