/* fpid_codetext.c: memory and texts in the machine code of clauses. */
#include "providers/fpid/fpid_codegen.h"

#include <errno.h>

#include "dlang/run/vm.h"

static void read_memory(struct writing *w, struct native_read *r, unsigned d, unsigned a)
{
	int err = 0;

	r->function = w->native->read;
	if (r->what.op != HOOK_READ_VALUE)
		err = fpid_claims_text(w->claims, r->what.size, &r->what.rooms);
	w->error = err ? err : w->error;
	code_jump_later(w, w->absent, &w->nabsent, native_read(&w->native->code, r, d, a));
}

void code_load(struct writing *w, uint32_t insn)
{
	const struct insn_load *load = &insn_loads[DIF_OP(insn)];
	struct native_read r = {.what = {.op = HOOK_READ_VALUE, .size = load->size},
				.is_signed = load->is_signed};

	read_memory(w, &r, DIF_RD(insn), DIF_R1(insn));
}

/* A text of so many characters at the address in a register becomes its number. */
void code_text_key(struct writing *w, unsigned chars, unsigned reg)
{
	struct native_read r = {.what = {.op = HOOK_READ_KEY, .size = chars}};

	read_memory(w, &r, reg, reg);
	code_jump_later(w, w->without, &w->nwithout,
			native_if_compared(&w->native->code, NATIVE_NOT_EQUAL, reg, 0));
}

/* A register has the address of a text: it is measured, or searched for another one. */
static void ask_text(struct writing *w, enum hook_read_op op, unsigned reg, const char *text)
{
	struct session *s = w->claim->site->proc->pw->session;
	struct native_read r = {.what = {.op = op, .size = w->chars}, .text = text};

	if (text)
		r.what.len = (uint32_t)strnlen(text, (size_t)opt(&s->options, OPT_STRSIZE));
	read_memory(w, &r, reg, reg);
}

/* It is less than the known one, equal or greater: 1, 2, 3. Which is compared with 2. */
static void compare_memory(struct writing *w, unsigned reg, unsigned known)
{
	struct session *s = w->claim->site->proc->pw->session;
	const char *text = w->known.text[known];
	struct native_read r = {
		.what = {.op = HOOK_READ_ORDER,
			 .size = w->is_unread ? w->chars : fpid_text_chars(s, NULL),
			 .may_be_null = !w->is_unread,
			 .len = (uint32_t)strnlen(text, (size_t)opt(&s->options, OPT_STRSIZE))},
		.text = text};

	read_memory(w, &r, reg, reg);
	native_constant(&w->native->code, known, 2);
}

static void write_copy(struct writing *w, unsigned rd)
{
	struct native_read r = {
		.what = {.op = HOOK_READ_BYTES, .size = (uint32_t)w->known.pushed[1]}};

	native_load_local(&w->native->code, rd, LOCAL_PUSHED);
	read_memory(w, &r, rd, rd);
	native_load_local(&w->native->code, rd, LOCAL_PUSHED);
}

void code_call(struct writing *w, const struct difo *d, unsigned i)
{
	unsigned rd = DIF_RD(d->text[i]), subr = DIF_GETINDEX(d->text[i]);

	if (subr == SUBR_COPYIN) {
		write_copy(w, rd);
		return;
	}
	native_load_local(&w->native->code, rd, LOCAL_PUSHED);
	if (subr == SUBR_STRLEN) {
		ask_text(w, HOOK_READ_LENGTH, rd, NULL);
	} else if (subr == SUBR_STRSTR) {
		ask_text(w, HOOK_READ_FINDS, rd, w->known.text_pushed[1]);
	} else {
		w->chars = fpid_text_chars(w->claim->site->proc->pw->session, &w->known);
		w->is_unread = fpid_text_use(d, i) != FPID_TEXT_KEPT;
		if (!w->is_unread)
			code_text_key(w, w->chars, rd);
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

/* What was found in a text is a number already, and NULL is 0. */
void code_compare_texts(struct writing *w, uint32_t insn)
{
	unsigned a = DIF_R1(insn), b = DIF_R2(insn), both = 1U << a | 1U << b;

	if ((w->known.texts & both) == both)
		compare_known_texts(w, insn);
	else if (w->known.texts >> b & 1)
		compare_memory(w, a, b);
	else if (w->known.texts >> a & 1)
		compare_memory(w, b, a);
	w->is_unread = false;
}
