/*
 * fpid_constants.h: what is known of an expression's values beforehand, at a probe of a process:
 * constants, texts, and by them which element of an array self->x[keys] is meant.
 */
#ifndef PROVIDERS_FPID_FPID_CONSTANTS_H
#define PROVIDERS_FPID_FPID_CONSTANTS_H

#include "dlang/provider.h"
#include "dlang/session.h"

#define FPID_KEY_WORDS 48
#define FPID_PUSHED    5
#define FPID_REGS      8 /* that native code has: of no more are expressions looked at */

/* The keys of an element, as dlang/run/vars.c keeps them. */
struct fpid_key {
	uint64_t words[FPID_KEY_WORDS];
	unsigned n;
	bool is_known;
};

struct fpid_constants {
	const struct difo *difo;
	/* Whose texts are meant; NULL: of any, their texts are not asked for. */
	const struct probe *probe;
	const struct taskinfo *task;
	size_t strsize;
	unsigned numbers, texts; /* registers that hold one */
	uint64_t number[FPID_REGS];
	const char *text[FPID_REGS];
	struct fpid_key key; /* of what has been pushed */
	/* By a register each: of the first ones, whether it is a number that is known, and a text
	 */
	unsigned npushed;
	bool pushed_number[FPID_PUSHED], pushed_text[FPID_PUSHED];
	uint64_t pushed[FPID_PUSHED];
	const char *text_pushed[FPID_PUSHED];
};

/* No session: no array is asked for. */
void fpid_constants_begin(struct fpid_constants *, const struct session *, const struct difo *,
			  const struct probe *, const struct taskinfo *);
/* Before the instruction with that number: registers are forgotten where ways meet. */
void fpid_constants_label(struct fpid_constants *, unsigned insn);
void fpid_constants_insn(struct fpid_constants *, uint32_t insn); /* behind it */
bool fpid_may_be_0(const struct fpid_constants *, unsigned reg);

/* Calls fn for each element of self->x[] that an expression uses, and what is known of its keys;
 * one of more registers runs in no target, nor do others that use its arrays. */
typedef void fpid_element_fn(void *arg, uint16_t id, const struct fpid_key *);
void fpid_each_element(struct fpid_constants *, fpid_element_fn *, void *arg);

/*
 * A text that an expression has chosen: the offset in its string table or, behind that table,
 * FPID_TEXT_OF of a built-in variable that does not change. NULL: there is none such.
 */
#define FPID_TEXT_OF(id) (UINT32_MAX - (id))
bool fpid_is_text_builtin(unsigned id);
const char *fpid_chosen_text(const struct difo *, uint64_t chosen, const struct probe *,
			     const struct taskinfo *);

unsigned fpid_ways_to(const struct difo *, unsigned insn); /* how many branches lead there */

#endif
