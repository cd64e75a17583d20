/* fpid_codetext.c: memory and texts in the machine code of clauses. */
#include "providers/fpid/fpid_codegen.h"

#include <errno.h>

#include "dlang/run/vm.h"

static void read_memory(struct writing *w, struct native_read *r, unsigned d, unsigned a)
{
	const struct hook_text *t = r->what.texts;
	int err = 0;

	r->function = w->native->read;
	if (r->what.op != HOOK_READ_VALUE)
		err = fpid_claims_text(w->claims, HOOK_TEXTS_CHARS(t[0].size, t[1].size),
				       &r->what.rooms);
	w->error = err ? err : w->error;
	code_jump_later(w, w->absent, &w->nabsent, native_read(&w->native->code, r, d, a));
}

void code_load(struct writing *w, uint32_t insn)
{
	const struct insn_load *load = &insn_loads[DIF_OP(insn)];
	struct native_read r = {.what = {.op = HOOK_READ_VALUE, .texts = {{.size = load->size}}},
				.is_signed = load->is_signed};

	read_memory(w, &r, DIF_RD(insn), DIF_R1(insn));
}

void code_text_key(struct writing *w, const struct hook_text *how, unsigned reg)
{
	struct native_read r = {.what = {.op = HOOK_READ_KEY, .texts = {*how}}};

	read_memory(w, &r, reg, reg);
	code_jump_later(w, w->without, &w->nwithout,
			native_if_compared(&w->native->code, NATIVE_NOT_EQUAL, reg, 0));
}

/* ---- two texts ---- */

static struct hook_text text_at(const struct writing *w, unsigned reg)
{
	const struct session *s = w->claim->site->proc->pw->session;

	if (w->unread >> reg & 1)
		return w->texts[reg];
	return (struct hook_text){
		.size = fpid_text_chars(s, NULL), .count = HOOK_TEXT_ALL, .flags = HOOK_TEXT_NULL};
}

static void set_known(const struct writing *w, struct native_read *r, const char *text)
{
	const struct session *s = w->claim->site->proc->pw->session;

	r->text = text;
	r->what.len = (uint32_t)strnlen(text, (size_t)opt(&s->options, OPT_STRSIZE));
}

/* Their addresses are where they would be pushed. */
static void set_both(struct native_read *r, const struct hook_text *second)
{
	r->what.len = HOOK_READ_BOTH;
	r->what.texts[1] = *second;
	r->pair = LOCAL_PUSHED;
}

/* The one in memory is less than the known one, equal or greater: 1, 2, 3. Which is compared with
 * 2. */
static void compare_with_known(struct writing *w, unsigned reg, unsigned known)
{
	struct native_read r = {.what = {.op = HOOK_READ_ORDER, .texts = {text_at(w, reg)}}};

	set_known(w, &r, w->known.text[known]);
	read_memory(w, &r, reg, reg);
	native_constant(&w->native->code, known, 2);
}

static void compare_in_memory(struct writing *w, unsigned a, unsigned b)
{
	struct native_read r = {.what = {.op = HOOK_READ_ORDER, .texts = {text_at(w, a)}}};
	const struct hook_text second = text_at(w, b);

	set_both(&r, &second);
	native_store_local(&w->native->code, LOCAL_PUSHED, a, code_word);
	native_store_local(&w->native->code, LOCAL_SECOND, b, code_word);
	read_memory(w, &r, a, a);
	native_constant(&w->native->code, b, 2);
}

/* ---- subroutines ---- */

void code_push_text(struct writing *w, uint32_t insn)
{
	unsigned reg = DIF_RD(insn), nth = w->known.npushed;

	if (!(w->unread >> reg & 1) || nth >= ARRAY_SIZE(w->pushed))
		return;
	native_store_local(&w->native->code, LOCAL_PUSHED + nth, reg, code_word);
	w->pushed[nth] = w->texts[reg];
	w->unread &= ~(1U << reg);
}

void code_keep_text(struct writing *w, uint32_t insn)
{
	unsigned reg = DIF_RD(insn);

	if (!(w->unread >> reg & 1) || w->nkept == ARRAY_SIZE(w->kept))
		return;
	w->kept[w->nkept].id = (uint16_t)DIF_GETINDEX(insn);
	w->kept[w->nkept++].how = w->texts[reg];
}

void code_load_kept(struct writing *w, uint32_t insn)
{
	for (unsigned i = 0; i < w->nkept; i++)
		if (w->kept[i].id == DIF_GETINDEX(insn)) {
			w->texts[DIF_RD(insn)] = w->kept[i].how;
			w->unread |= 1U << DIF_RD(insn);
		}
}

static void write_copy(struct writing *w, unsigned rd)
{
	struct native_read r = {
		.what = {.op = HOOK_READ_BYTES, .texts = {{.size = (uint32_t)w->known.pushed[1]}}}};

	read_memory(w, &r, rd, rd);
	native_load_local(&w->native->code, rd, LOCAL_PUSHED);
}

/* The text whose address is in rd is read when it is known for what, or becomes a value. */
static void write_text(struct writing *w, const struct difo *d, unsigned call,
		       const struct hook_text *how)
{
	unsigned rd = DIF_RD(d->text[call]);

	if (!fpid_text_is_read(d, call)) {
		code_text_key(w, how, rd);
		return;
	}
	w->texts[rd] = *how;
	w->unread |= 1U << rd;
}

static void write_copyinstr(struct writing *w, const struct difo *d, unsigned call)
{
	const struct session *s = w->claim->site->proc->pw->session;
	const struct hook_text how = {.size = fpid_text_chars(s, &w->known),
				      .count = HOOK_TEXT_ALL};

	write_text(w, d, call, &how);
}

static void write_substr(struct writing *w, const struct difo *d, unsigned call)
{
	struct hook_text how = w->pushed[0];

	how.start = (int32_t)w->known.pushed[1];
	how.count = w->known.npushed > 2 ? (int32_t)w->known.pushed[2] : HOOK_TEXT_ALL;
	write_text(w, d, call, &how);
}

/* What was pushed first is measured, or searched for what was pushed second. */
static void ask_text(struct writing *w, enum hook_read_op op, unsigned rd)
{
	struct native_read r = {.what = {.op = op, .texts = {w->pushed[0]}}};

	if (op != HOOK_READ_LENGTH && w->known.pushed_text[1])
		set_known(w, &r, w->known.text_pushed[1]);
	else if (op != HOOK_READ_LENGTH)
		set_both(&r, &w->pushed[1]);
	read_memory(w, &r, rd, rd);
}

void code_call(struct writing *w, const struct difo *d, unsigned i)
{
	unsigned rd = DIF_RD(d->text[i]);

	native_load_local(&w->native->code, rd, LOCAL_PUSHED);
	switch (DIF_GETINDEX(d->text[i])) {
	case SUBR_COPYIN:
		write_copy(w, rd);
		break;
	case SUBR_COPYINSTR:
		write_copyinstr(w, d, i);
		break;
	case SUBR_SUBSTR:
		write_substr(w, d, i);
		break;
	case SUBR_STRLEN:
		ask_text(w, HOOK_READ_LENGTH, rd);
		break;
	case SUBR_STRSTR:
		ask_text(w, HOOK_READ_FINDS, rd);
		break;
	case SUBR_INDEX:
		ask_text(w, HOOK_READ_INDEX, rd);
		break;
	case SUBR_RINDEX:
		ask_text(w, HOOK_READ_RINDEX, rd);
		break;
	default:
		break;
	}
}

/* Both are known: numbers that compare as they do, signed or not. */
static void compare_known_texts(const struct writing *w, uint32_t insn)
{
	const struct session *s = w->claim->site->proc->pw->session;
	size_t size = (size_t)opt(&s->options, OPT_STRSIZE);
	int r = strncmp(w->known.text[DIF_R1(insn)], w->known.text[DIF_R2(insn)], size);

	native_constant(&w->native->code, DIF_R1(insn), r < 0 ? 1 : r > 0 ? 3 : 2);
	native_constant(&w->native->code, DIF_R2(insn), 2);
}

/* With what is no text that would have to be read first: as numbers. */
static bool compares_with_null(const struct writing *w, unsigned a, unsigned b)
{
	return !(w->unread >> a & 1) && w->known.numbers >> b & 1 && !w->known.number[b];
}

/* What was found in a text is a number already. */
void code_compare_texts(struct writing *w, uint32_t insn)
{
	unsigned a = DIF_R1(insn), b = DIF_R2(insn), both = 1U << a | 1U << b;

	if ((w->known.texts & both) == both)
		compare_known_texts(w, insn);
	else if (w->known.texts >> b & 1)
		compare_with_known(w, a, b);
	else if (w->known.texts >> a & 1)
		compare_with_known(w, b, a);
	else if (!compares_with_null(w, a, b) && !compares_with_null(w, b, a))
		compare_in_memory(w, a, b);
	w->unread &= ~both;
}
