/* fpid_codetext.c: memory and texts in the machine code of clauses. */
#include "providers/fpid/fpid_codegen.h"

#include <errno.h>

#include "base/hash.h"
#include "dlang/run/vm.h"

static void read_memory(struct writing *w, struct native_read *r, unsigned d, unsigned a)
{
	r->function = w->native->read;
	code_jump_later(w, w->absent, &w->nabsent, native_read(&w->native->code, r, d, a));
}

void code_load(struct writing *w, uint32_t insn)
{
	const struct insn_load *load = &insn_loads[DIF_OP(insn)];
	struct native_read r = {.what = {.op = HOOK_READ_VALUE, .size = load->size},
				.is_signed = load->is_signed};

	read_memory(w, &r, DIF_RD(insn), DIF_R1(insn));
}

static void write_copy(struct writing *w, unsigned rd)
{
	struct native_read r = {.what = {.op = HOOK_READ_BYTES, .size = w->known.pushed[1]}};
	int err = fpid_claims_text(w->claims, (unsigned)r.what.size, &r.what.rooms);

	w->error = err ? err : w->error;
	read_memory(w, &r, rd, rd);
	native_load_local(&w->native->code, rd, LOCAL_PUSHED);
}

/* ---- steps ---- */

static void add_step(struct writing *w, struct native_texts *t, struct hook_text_step step,
		     const char *known)
{
	if (t->n == HOOK_STEPS) {
		w->error = -ENOSPC;
		return;
	}
	t->steps[t->n] = step;
	t->known[t->n++] = known;
}

static void add_steps(struct writing *w, struct native_texts *t, const struct native_texts *more)
{
	for (unsigned i = 0; i < more->n; i++)
		add_step(w, t, more->steps[i], more->known[i]);
}

/* A text that is made of a register's value. */
static void add_word(struct writing *w, struct native_texts *t, struct hook_text_step step,
		     unsigned reg)
{
	if (w->nwords == FPID_TEXT_WORDS) {
		w->error = -ENOSPC;
		return;
	}
	step.nth = (uint16_t)(LOCAL_WORDS - LOCAL_PUSHED + w->nwords);
	native_store_local(&w->native->code, LOCAL_WORDS + w->nwords++, reg, code_word);
	add_step(w, t, step, NULL);
}

static void add_known(struct writing *w, struct native_texts *t, const char *text)
{
	const struct session *s = w->claim->site->proc->pw->session;
	size_t len = strnlen(text, (size_t)opt(&s->options, OPT_STRSIZE));

	add_step(w, t, (struct hook_text_step){.op = HOOK_TEXT_KNOWN, .size = (uint32_t)len}, text);
}

void code_known_text(struct writing *w, struct native_texts *t, const char *text)
{
	t->n = 0;
	add_known(w, t, text);
}

static struct hook_text_step at_address(const struct writing *w)
{
	const struct session *s = w->claim->site->proc->pw->session;

	return (struct hook_text_step){.op = HOOK_TEXT_PLAIN, .size = fpid_text_chars(s, NULL)};
}

/* What a register stands for. */
static void add_reg(struct writing *w, struct native_texts *t, unsigned reg)
{
	if (w->unread >> reg & 1)
		add_steps(w, t, &w->texts[reg]);
	else if (w->known.texts >> reg & 1)
		add_known(w, t, w->known.text[reg]);
	else
		add_word(w, t, at_address(w), reg);
}

/* A text is as long as the longest one that it is made of. */
unsigned code_texts_chars(const struct native_texts *t, bool is_key)
{
	unsigned longest = 1, chars = HOOK_TEXTS_CHARS;

	for (unsigned i = 0; i < t->n; i++) {
		unsigned size = t->steps[i].op == HOOK_TEXT_NUMBER ? HOOK_NUMBER : t->steps[i].size;

		longest = MAX(longest, size);
		if (t->steps[i].op != HOOK_TEXT_KNOWN)
			chars += HOOK_STEP_CHARS(longest);
	}
	return chars + (is_key ? HOOK_STEP_CHARS(longest) : 0);
}

static void read_texts(struct writing *w, struct native_read *r, unsigned rd)
{
	int err = fpid_claims_text(
		w->claims, code_texts_chars(r->texts, r->what.op == HOOK_READ_KEY), &r->what.rooms);

	w->error = err ? err : w->error;
	r->words = LOCAL_PUSHED;
	r->nwords = LOCAL_WORDS + w->nwords - LOCAL_PUSHED;
	read_memory(w, r, rd, rd);
}

static void read_key(struct writing *w, const struct native_texts *t, unsigned rd, bool is_kept)
{
	struct native_read r = {.what = {.op = HOOK_READ_KEY, .param = is_kept}, .texts = t};

	read_texts(w, &r, rd);
	code_jump_later(w, w->without, &w->nwithout,
			native_if_compared(&w->native->code, NATIVE_NOT_EQUAL, rd, 0));
}

void code_text_key(struct writing *w, struct hook_text_step step, unsigned reg)
{
	struct native_texts t = {.n = 0};

	w->nwords = 0;
	add_word(w, &t, step, reg);
	read_key(w, &t, reg, false);
}

void code_store_text(struct writing *w, uint32_t insn)
{
	unsigned reg = DIF_RD(insn);
	struct native_texts t = {.n = 0};

	if (w->known.texts >> reg & 1) {
		add_known(w, &t, w->known.text[reg]);
		read_key(w, &t, reg, true);
	}
	native_store_block(
		&w->native->code,
		code_cell_off(w, fpid_claims_self_cell(w->claims, (uint16_t)DIF_GETINDEX(insn))),
		reg, code_word);
}

/* No text is in the making: the words of those that were are free. */
static void settle(struct writing *w)
{
	if (!w->unread && !w->unread_pushed && !w->nkept)
		w->nwords = 0;
}

void code_flush_texts(struct writing *w)
{
	w->unread_pushed = 0;
	settle(w);
}

void code_push_text(struct writing *w, const struct difo *d, unsigned i)
{
	unsigned reg = DIF_RD(d->text[i]), nth = w->known.npushed;

	if (!fpid_push_is_read(d, i) || nth >= ARRAY_SIZE(w->pushed))
		return;
	w->pushed[nth].n = 0;
	add_reg(w, &w->pushed[nth], reg);
	w->unread &= ~(1U << reg);
	w->unread_pushed |= 1U << nth;
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

/* ---- subroutines ---- */

/* The text is read when it is known for what, or becomes a value. */
static void write_text(struct writing *w, const struct difo *d, unsigned call,
		       const struct native_texts *t)
{
	unsigned rd = DIF_RD(d->text[call]);

	if (!fpid_text_is_read(d, call)) {
		read_key(w, t, rd, false);
		return;
	}
	w->texts[rd] = *t;
	w->unread |= 1U << rd;
}

static void write_copyinstr(struct writing *w, const struct difo *d, unsigned call)
{
	const struct session *s = w->claim->site->proc->pw->session;
	const struct hook_text_step step = {.op = HOOK_TEXT_AT,
					    .size = fpid_text_chars(s, &w->known)};
	struct native_texts t = {.n = 0};

	add_word(w, &t, step, DIF_RD(d->text[call]));
	write_text(w, d, call, &t);
}

/* The numbers that are pushed behind the texts. */
static struct hook_text_step step_of(const struct writing *w, const struct fpid_textop *how)
{
	const struct session *s = w->claim->site->proc->pw->session;
	unsigned first = how->ntexts + how->nwords, n = w->known.npushed;
	struct hook_text_step step = {.op = how->op, .count = HOOK_TEXT_ALL};

	if (how->op == HOOK_TEXT_STRJOIN || how->op == HOOK_TEXT_NUMBER)
		step.size = (uint32_t)opt(&s->options, OPT_STRSIZE);
	step.start = n > first ? (int32_t)w->known.pushed[first] : how->has_base ? 10 : 0;
	if (n > first + 1)
		step.count = (int32_t)w->known.pushed[first + 1];
	return step;
}

static void make_text(struct writing *w, const struct difo *d, unsigned call,
		      const struct fpid_textop *how)
{
	struct native_texts t = {.n = 0};

	for (unsigned i = 0; i < how->ntexts; i++)
		add_steps(w, &t, &w->pushed[i]);
	if (how->nwords)
		add_word(w, &t, step_of(w, how), DIF_RD(d->text[call]));
	else
		add_step(w, &t, step_of(w, how), NULL);
	write_text(w, d, call, &t);
}

/* Of what was pushed first, or of both. */
static void ask_texts(struct writing *w, const struct fpid_textop *how, unsigned rd)
{
	struct native_texts t = {.n = 0};
	struct native_read r = {.what = {.op = how->op}, .texts = &t};
	unsigned first = how->ntexts;

	for (unsigned i = 0; i < how->ntexts; i++)
		add_steps(w, &t, &w->pushed[i]);
	r.what.param = w->known.npushed > first	     ? (int32_t)w->known.pushed[first]
		       : how->has_base		     ? 10
		       : how->op == HOOK_READ_RINDEX ? INT32_MAX
						     : 0;
	read_texts(w, &r, rd);
}

static void make_number(struct writing *w, const struct fpid_numop *how, unsigned rd)
{
	struct native *n = &w->native->code;

	if (how->is_random) {
		native_random(n, rd, code_cell_off(w, fpid_claims_random_cell(w->claims)),
			      hash_u64((uint64_t)w->claim->site->proc->pw->session->front_pid));
		return;
	}
	native_load_local(n, rd, LOCAL_PUSHED);
	native_bits(n, &how->bits, rd, rd);
}

void code_call(struct writing *w, const struct difo *d, unsigned i)
{
	const struct fpid_textop *how = fpid_textop(d->text[i]);
	unsigned rd = DIF_RD(d->text[i]);

	w->unread &= ~(1U << rd);
	if (fpid_numop(d->text[i])) {
		make_number(w, fpid_numop(d->text[i]), rd);
		return;
	}
	if (!how || how->nwords)
		native_load_local(&w->native->code, rd, LOCAL_PUSHED);
	if (how && how->is_number)
		ask_texts(w, how, rd);
	else if (how)
		make_text(w, d, i, how);
	else if (DIF_GETINDEX(d->text[i]) == SUBR_COPYIN)
		write_copy(w, rd);
	else if (DIF_GETINDEX(d->text[i]) == SUBR_COPYINSTR)
		write_copyinstr(w, d, i);
}

/* ---- comparisons ---- */

/* 1, 2, 3 where the first one is less than, equal to, greater than the second one, which is
 * compared with 2. */
static void compare_in_memory(struct writing *w, unsigned a, unsigned b)
{
	struct native_texts t = {.n = 0};
	struct native_read r = {.what = {.op = HOOK_READ_ORDER}, .texts = &t};

	add_reg(w, &t, a);
	add_reg(w, &t, b);
	read_texts(w, &r, a);
	native_constant(&w->native->code, b, 2);
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

/* As numbers. */
static bool compares_with_null(const struct writing *w, unsigned b)
{
	return w->known.numbers >> b & 1 && !w->known.number[b];
}

void code_compare_texts(struct writing *w, uint32_t insn)
{
	unsigned a = DIF_R1(insn), b = DIF_R2(insn), both = 1U << a | 1U << b;

	if ((w->known.texts & both) == both)
		compare_known_texts(w, insn);
	else if ((both & (w->unread | w->known.texts)) ||
		 (!compares_with_null(w, a) && !compares_with_null(w, b)))
		compare_in_memory(w, a, b);
	w->unread &= ~both;
	settle(w);
}
