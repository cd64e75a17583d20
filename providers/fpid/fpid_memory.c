#include "providers/fpid/fpid_memory.h"

#include "dlang/run/vm.h"
#include "hook/agg_proto.h"
#include "providers/fpid/fpid_compute.h"

static bool is_call(uint32_t insn, unsigned subr)
{
	return DIF_OP(insn) == DIF_OP_CALL && DIF_GETINDEX(insn) == subr;
}

/* clang-format off */
static const struct fpid_textop textops[NSUBRS] = {
#define MAKES(subr, n) [SUBR_##subr] = {.op = HOOK_TEXT_##subr, .ntexts = (n), .is_there = true},
	MAKES(SUBSTR, 1) MAKES(BASENAME, 1) MAKES(DIRNAME, 1) MAKES(CLEANPATH, 1)
	MAKES(TOUPPER, 1) MAKES(TOLOWER, 1) MAKES(STRCHR, 1) MAKES(STRRCHR, 1)
	MAKES(STRSTR, 2) MAKES(STRTOK, 2) MAKES(STRJOIN, 2)
#undef MAKES
#define READS(subr, what, n, ...) [SUBR_##subr] = {.op = HOOK_READ_##what, .ntexts = (n), \
						   .is_there = true, .is_number = true, __VA_ARGS__},
	READS(STRLEN, LENGTH, 1) READS(INDEX, INDEX, 2) READS(RINDEX, RINDEX, 2)
	READS(STRTOLL, NUMBER, 1, .has_base = true)
#undef READS
	[SUBR_LLTOSTR] = {.op = HOOK_TEXT_NUMBER, .nwords = 1, .is_there = true, .has_base = true},
};
/* clang-format on */

const struct fpid_textop *fpid_textop(uint32_t insn)
{
	unsigned subr = DIF_GETINDEX(insn);

	return DIF_OP(insn) == DIF_OP_CALL && textops[subr].is_there ? &textops[subr] : NULL;
}

/* clang-format off */
static const struct fpid_numop numops[NSUBRS] = {
#define BITS(subr, ...) [SUBR_##subr] = {.is_there = true, .bits = {__VA_ARGS__}},
	BITS(HTONS, true, 0, 48) BITS(HTONL, true, 0, 32) BITS(HTONLL, true, 0, 0)
	BITS(NTOHS, true, 0, 48) BITS(NTOHL, true, 0, 32) BITS(NTOHLL, true, 0, 0)
	BITS(GETMAJOR, false, 32, 52) BITS(GETMINOR, false, 44, 44)
#undef BITS
	[SUBR_RAND] = {.is_there = true, .is_random = true},
};
/* clang-format on */

const struct fpid_numop *fpid_numop(uint32_t insn)
{
	unsigned subr = DIF_GETINDEX(insn);

	return DIF_OP(insn) == DIF_OP_CALL && numops[subr].is_there ? &numops[subr] : NULL;
}

static bool copies(uint32_t insn)
{
	return is_call(insn, SUBR_COPYIN) || is_call(insn, SUBR_COPYINSTR);
}

/* What is given back is no address then. */
static bool makes_text(const struct difo *d)
{
	for (unsigned i = 0; i < d->ninsns; i++) {
		unsigned op = DIF_OP(d->text[i]);

		if (op == DIF_OP_SETS || (op == DIF_OP_CALL && !fpid_numop(d->text[i])) ||
		    (op == DIF_OP_LDGS && fpid_is_text_builtin(DIF_GETINDEX(d->text[i]))))
			return true;
	}
	return false;
}

bool fpid_is_text_variable(const struct difo *d, uint32_t insn)
{
	unsigned op = DIF_OP(insn);

	for (unsigned i = 0; (op == DIF_OP_LDTS || op == DIF_OP_STTS) && i < d->nvars; i++)
		if (d->vars[i].scope == DIF_SCOPE_SELF && d->vars[i].id == DIF_GETINDEX(insn))
			return type_is_string(d->vars[i].type);
	return false;
}

static bool uses_text_variable(const struct difo *d, unsigned op)
{
	for (unsigned i = 0; d && i < d->ninsns; i++)
		if (DIF_OP(d->text[i]) == op && fpid_is_text_variable(d, d->text[i]))
			return true;
	return false;
}

bool fpid_returns_text_variable(const struct difo *d)
{
	return d && d->type && type_is_string(d->type) && !makes_text(d) &&
	       uses_text_variable(d, DIF_OP_LDTS) && !uses_text_variable(d, DIF_OP_STTS);
}

/* The instruction that gave a register its value; NULL: there may be others. */
static const uint32_t *source_of(const struct difo *d, unsigned insn, unsigned reg)
{
	while (insn && !fpid_ways_to(d, insn)) {
		const uint32_t *at = &d->text[--insn];

		if (insn_class[DIF_OP(*at)] & INSN_BRANCH)
			return NULL;
		if (DIF_RD(*at) != reg)
			continue;
		if ((DIF_OP(*at) != DIF_OP_SLL && DIF_OP(*at) != DIF_OP_SRA) || DIF_R1(*at) != reg)
			return at;
	}
	return NULL;
}

/* Such a variable with NULL: it is a number then. */
static bool asks_for_null(const struct difo *d, unsigned insn)
{
	const uint32_t *a = source_of(d, insn, DIF_R1(d->text[insn])),
		       *b = source_of(d, insn, DIF_R2(d->text[insn]));

	if (a && b && DIF_OP(*b) == DIF_OP_LDTS) {
		const uint32_t *other = a;

		a = b;
		b = other;
	}
	return a && b && DIF_OP(*a) == DIF_OP_LDTS && fpid_is_text_variable(d, *a) &&
	       DIF_OP(*b) == DIF_OP_SETX && !d->ints[DIF_GETINDEX(*b)];
}

/* A comparison of texts may be one with what lies at an address. Texts that are made need a room,
 * which may not be there either; so do those that are assigned, but for NULL and those that other
 * variables hold. */
bool fpid_reads_memory(const struct difo *d)
{
	for (unsigned i = 0; d && i < d->ninsns; i++)
		if (insn_loads[DIF_OP(d->text[i])].size || copies(d->text[i]) ||
		    fpid_textop(d->text[i]) ||
		    (DIF_OP(d->text[i]) == DIF_OP_SCMP && d->can_fault && !asks_for_null(d, i)))
			return true;
	if (uses_text_variable(d, DIF_OP_STTS))
		return makes_text(d);
	return d && d->type && type_is_byref(d->type) && !makes_text(d);
}

static bool divides(const struct difo *d)
{
	struct fpid_constants known;

	if (!d || fpid_is_too_long(d))
		return false;
	fpid_constants_begin(&known, NULL, d, NULL, NULL);
	for (unsigned i = 0; i < d->ninsns; i++) {
		fpid_constants_label(&known, i);
		if (fpid_insns[DIF_OP(d->text[i])].divides &&
		    fpid_may_be_0(&known, DIF_R2(d->text[i])))
			return true;
		fpid_constants_insn(&known, d->text[i]);
	}
	return false;
}

bool fpid_can_stop(const struct difo *d)
{
	return fpid_reads_memory(d) || divides(d);
}

bool fpid_sees_others(const struct difo *d)
{
	for (unsigned i = 0; i < d->ninsns; i++) {
		unsigned op = DIF_OP(d->text[i]), id = DIF_GETINDEX(d->text[i]);

		if (insn_class[op] & INSN_KEYS || is_call(d->text[i], SUBR_RAND) ||
		    (op == DIF_OP_LDGS && (id >= DIF_VAR_USER || id == BUILTIN_WALLTIMESTAMP)))
			return true;
	}
	return false;
}

bool fpid_hides_divisor(const struct difo *d)
{
	return divides(d) && fpid_sees_others(d);
}

bool fpid_assigns(const struct difo *d)
{
	for (unsigned i = 0; d && i < d->ninsns; i++)
		if (insn_class[DIF_OP(d->text[i])] & INSN_STORE)
			return true;
	return false;
}

bool fpid_is_random(const struct difo *d)
{
	for (unsigned i = 0; d && i < d->ninsns; i++)
		if (is_call(d->text[i], SUBR_RAND))
			return true;
	return false;
}

bool fpid_statement_can_stop(const struct stmt *st)
{
	for (unsigned i = 0; i < st->nacts; i++)
		if (fpid_can_stop(st->acts[i].difo))
			return true;
	return false;
}

/* Such variables are only the target's. So are elements, and texts, but those fault here (struct
 * ecb_part). */
static bool assigns_self(const struct difo *d)
{
	for (unsigned i = 0; d && i < d->ninsns; i++) {
		unsigned class = insn_class[DIF_OP(d->text[i])];

		if (class & INSN_STORE && !(class & INSN_KEYS) &&
		    insn_scope(d->text[i]) == DIF_SCOPE_SELF &&
		    !fpid_is_text_variable(d, d->text[i]))
			return true;
	}
	return false;
}

/* A key that is NULL is a fault, which is found here when nothing faults before it: the variable is
 * NULL here. */
static bool finds_text_variables(const struct stmt *st)
{
	unsigned nstops = 0;
	bool are_used = false;

	for (unsigned i = 0; i < st->nacts; i++) {
		nstops += fpid_can_stop(st->acts[i].difo);
		are_used |= uses_text_variable(st->acts[i].difo, DIF_OP_LDTS);
		if (fpid_can_stop(st->acts[i].difo) &&
		    !fpid_returns_text_variable(st->acts[i].difo) &&
		    uses_text_variable(st->acts[i].difo, DIF_OP_LDTS))
			return false;
	}
	return !are_used || nstops < 2;
}

/* Such an assignment always faults here: what comes behind it is not done. */
static bool always_faults(const struct difo *d)
{
	for (unsigned i = 0; i < d->ninsns; i++)
		if (insn_class[DIF_OP(d->text[i])] & INSN_BRANCH)
			return false;
	return uses_text_variable(d, DIF_OP_STTS);
}

/* What is divided by 0 here, too, ends the clause; memory may have come meanwhile. The engine
 * begins with this statement again: nothing may have been assigned by then. */
static bool statement_may_stop(const struct stmt *st, bool *reads)
{
	bool has_assigned = false;

	for (unsigned i = 0; i < st->nacts; i++)
		*reads |= fpid_reads_memory(st->acts[i].difo) && !always_faults(st->acts[i].difo) &&
			  !fpid_returns_text_variable(st->acts[i].difo);
	for (unsigned i = 0; i < st->nacts; i++) {
		const struct difo *d = st->acts[i].difo;
		bool assigns = fpid_assigns(d);

		if ((*reads && assigns_self(d)) || (has_assigned && fpid_can_stop(d)) ||
		    (assigns && st->nacts > 1 && divides(d)))
			return false;
		has_assigned |= assigns;
	}
	return true;
}

bool fpid_may_stop(const struct clause *c)
{
	bool reads = fpid_reads_memory(c->pred), stops = fpid_can_stop(c->pred);

	if (stops && (fpid_assigns(c->pred) || fpid_is_random(c->pred) ||
		      uses_text_variable(c->pred, DIF_OP_LDTS)))
		return false;
	for (unsigned i = 0; i < c->nstmts; i++) {
		stops |= fpid_statement_can_stop(&c->stmts[i]);
		if (!finds_text_variables(&c->stmts[i]) ||
		    !statement_may_stop(&c->stmts[i], &reads))
			return false;
	}
	return !stops || !c->split;
}

unsigned fpid_text_chars(const struct session *s, const struct fpid_constants *known)
{
	uint64_t size = (uint64_t)opt(&s->options, OPT_STRSIZE);

	if (known && known->npushed > 1 && !known->pushed_number[1])
		return UINT32_MAX;
	if (known && known->npushed > 1)
		size = MAX(MIN(size, known->pushed[1]), 1);
	return (unsigned)MIN(known ? size - 1 : size, UINT32_MAX);
}

static bool is_push(uint32_t insn)
{
	return DIF_OP(insn) == DIF_OP_PUSHTV || DIF_OP(insn) == DIF_OP_PUSHTR;
}

bool fpid_pushes_word(const struct difo *d, unsigned insn)
{
	unsigned first = insn;

	while (first-- > 0 && DIF_OP(d->text[first]) != DIF_OP_FLUSHTS)
		if (is_push(d->text[first]))
			return false;
	while (++insn < d->ninsns && DIF_OP(d->text[insn]) != DIF_OP_FLUSHTS)
		if (DIF_OP(d->text[insn]) == DIF_OP_CALL)
			return copies(d->text[insn]) || is_call(d->text[insn], SUBR_LLTOSTR) ||
			       fpid_numop(d->text[insn]);
	return false;
}

/* So many were pushed before. */
static unsigned nth_pushed(const struct difo *d, unsigned insn)
{
	unsigned n = 0;

	while (insn-- > 0 && DIF_OP(d->text[insn]) != DIF_OP_FLUSHTS)
		n += is_push(d->text[insn]);
	return n;
}

bool fpid_push_is_read(const struct difo *d, unsigned push)
{
	unsigned nth = nth_pushed(d, push), i = push + 1;
	const struct fpid_textop *t;

	if (DIF_OP(d->text[push]) != DIF_OP_PUSHTR || DIF_R1(d->text[push]) != DIF_PUSH_STRING)
		return false;
	while (i < d->ninsns && !fpid_ways_to(d, i) && DIF_OP(d->text[i]) != DIF_OP_CALL &&
	       !(insn_class[DIF_OP(d->text[i])] & INSN_KEYS))
		i++;
	if (i == d->ninsns || fpid_ways_to(d, i))
		return false;
	if (insn_class[DIF_OP(d->text[i])] & INSN_KEYS)
		return nth < HOOK_TUPLE_KEYS;
	t = fpid_textop(d->text[i]);
	return t && nth < t->ntexts;
}

bool fpid_is_hidden(const struct difo *d, uint32_t insn)
{
	for (unsigned i = 0; i < d->nvars; i++)
		if (d->vars[i].scope == DIF_SCOPE_THIS && d->vars[i].id == DIF_GETINDEX(insn))
			return d->vars[i].name[0] == '%';
	return false;
}

bool fpid_text_is_read(const struct difo *d, unsigned call)
{
	unsigned reg = DIF_RD(d->text[call]);

	for (unsigned i = call + 1; i < d->ninsns && !fpid_ways_to(d, i); i++) {
		uint32_t insn = d->text[i];
		unsigned op = DIF_OP(insn);

		if (op == DIF_OP_SCMP && (DIF_R1(insn) == reg || DIF_R2(insn) == reg))
			return true;
		if (op == DIF_OP_PUSHTR && DIF_RD(insn) == reg)
			return fpid_push_is_read(d, i);
		if (op == DIF_OP_STLS && DIF_RD(insn) == reg && fpid_is_hidden(d, insn))
			continue;
		if (insn_class[op] & INSN_BRANCH || fpid_reads(insn) >> reg & 1 ||
		    DIF_RD(insn) == reg)
			return false;
	}
	return false;
}

bool fpid_returns_copy(const struct difo *d)
{
	unsigned n = d->ninsns;

	return n > 1 && is_call(d->text[n - 2], SUBR_COPYIN) &&
	       DIF_RD(d->text[n - 2]) == DIF_RD(d->text[n - 1]);
}
