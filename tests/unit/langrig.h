/*
 * langrig.h: D texts through the whole compiler, in a session whose one provider has BEGIN and two
 * functions; DIFOs as one line of text.
 */
#ifndef TESTS_LANGRIG_H
#define TESTS_LANGRIG_H

#include "base/strbuf.h"
#include "dlang/dlang.h"
#include "dlang/session.h"
#include "dlang/run/vm.h"
#include "tests/unit/test.h"

static int rig_provide(struct session *s UNUSED, const struct probe_desc *d UNUSED, int *tag UNUSED,
		       struct err *err UNUSED)
{
	return 0;
}

static const struct provider rig_provider = {.name = "fake", .provide = rig_provide};
static const struct provider *const rig_providers[] = {&rig_provider};

static struct langrig {
	struct arena arena;
	struct session *session;
	struct program *program;
	struct err err;
} rig;

static inline void rig_new(void)
{
	static const char *const names[][4] = {{"dtrace", "", "", "BEGIN"},
					       {"fake", "libc", "open", "entry"},
					       {"fake", "libc", "close", "entry"}};
	struct session *s;

	arena_init(&rig.arena);
	rig.session = s = session_new(&rig.arena, "dtrace");
	session_init_engine(s);
	s->providers = rig_providers;
	s->nproviders = 1;
	s->options.num[OPT_ERRTAGS] = 1;
	for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
		probe_create(s, &rig_provider, names[i][0], names[i][1], names[i][2], names[i][3],
			     NULL);
}

/* Compiles one more program in the session. NULL, or the message with its tag. */
static inline const char *rig_add(enum source_kind kind, const char *text)
{
	struct source *src = ARENA_NEW(&rig.arena, struct source);

	src->kind = kind;
	src->name = kind == SOURCE_SCRIPT ? "t.d" : text;
	src->text = arena_strdup(&rig.arena, text);
	src->length = strlen(text);
	src->arg0 = "dtrace";
	return dlang_compile(rig.session, src, &rig.program, &rig.err) < 0 ? rig.err.text : NULL;
}

static inline const char *rig_compile(const char *text)
{
	rig_new();
	return rig_add(SOURCE_SCRIPT, text);
}

/* ---- DIFOs as text: "ldgs x,%r1; setx 3,%r2; add %r1,%r2,%r1; ret %r1" ---- */

static const struct {
	const char *name, *format;
} rig_insns[] = {
#define INSN(name, format, class) [DIF_OP_##name] = {#name, #format},
#include "dlang/insns.def"
#undef INSN
};

static inline const char *rig_var(const struct difo *d, unsigned id)
{
	for (unsigned i = 0; i < d->nvars; i++)
		if (d->vars[i].id == id)
			return d->vars[i].name;
	return "?";
}

static inline void rig_insn(const struct difo *d, uint32_t insn, struct strbuf *out)
{
	const char *f = rig_insns[DIF_OP(insn)].format;
	unsigned r1 = DIF_R1(insn), r2 = DIF_R2(insn), rd = DIF_RD(insn), ix = DIF_GETINDEX(insn);

	for (const char *p = rig_insns[DIF_OP(insn)].name; *p; p++)
		strbuf_addc(out, (char)(*p | 0x20));
	if (strcmp(f, "R3") == 0)
		strbuf_addf(out, " %u,%u,%u", r1, r2, rd);
	else if (strcmp(f, "R2") == 0 || strcmp(f, "LD") == 0)
		strbuf_addf(out, " %u,%u", r1, rd);
	else if (strcmp(f, "ST") == 0)
		strbuf_addf(out, " %u,[%u]", r1, rd);
	else if (strcmp(f, "CMP") == 0)
		strbuf_addf(out, " %u,%u", r1, r2);
	else if (strcmp(f, "TST") == 0)
		strbuf_addf(out, " %u", r1);
	else if (strcmp(f, "BR") == 0)
		strbuf_addf(out, " @%u", DIF_GETLABEL(insn));
	else if (strcmp(f, "RET") == 0)
		strbuf_addf(out, " %u", rd);
	else if (strcmp(f, "SETX") == 0)
		strbuf_addf(out, " #%lld,%u", (long long)d->ints[ix], rd);
	else if (strcmp(f, "SETS") == 0)
		strbuf_addf(out, " '%s',%u", d->strs + ix, rd);
	else if (strcmp(f, "LDV") == 0)
		strbuf_addf(out, " %s,%u", rig_var(d, ix), rd);
	else if (strcmp(f, "STV") == 0)
		strbuf_addf(out, " %u,%s", rd, rig_var(d, ix));
	else if (strcmp(f, "LDA") == 0)
		strbuf_addf(out, " %s[%u],%u", rig_var(d, r1), r2, rd);
	else if (strcmp(f, "CALL") == 0)
		strbuf_addf(out, " %s,%u", subrs[ix].name, rd);
	else if (strcmp(f, "PUSH") == 0)
		strbuf_addf(out, " %u:%u,%u", r1, r2, rd);
}

static inline const char *rig_difo(const struct difo *d)
{
	static char text[2048];
	struct strbuf out;

	strbuf_init(&out);
	for (unsigned i = 0; i < d->ninsns; i++) {
		strbuf_adds(&out, i ? "; " : "");
		rig_insn(d, d->text[i], &out);
	}
	snprintf(text, sizeof(text), "%s", out.s);
	strbuf_release(&out);
	return text;
}

#endif
