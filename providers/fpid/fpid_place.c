#include "providers/fpid/fpid_place.h"

#include "dlang/actions.h"
#include "dlang/offload/claim.h"
#include "dlang/offload/group.h"
#include "dlang/run/vm.h"
#include "providers/fpid/fpid_claims.h"
#include "providers/fpid/fpid_compute.h"
#include "providers/fpid/fpid_memory.h"

struct fpid_place {
	/* FPID_ALL: in the target. FPID_DECIDES: its predicate and its variables there, the rest
	 * here, from records of what passes. FPID_NOTHING: here, from a record of each hit. */
	enum fpid_share share;
	char why[128];	     /* what the target cannot do of it; empty with FPID_ALL */
	const char *instead; /* how to write it so that it can; NULL: no way is known */
};

/* Why the target does not do something. `format` has one %s at most: of what it is. */
struct refusal {
	const char *format, *instead;
};

#define AGGREGATE  "aggregate (@[keys] = ...), or let the predicate say which hits are to be seen"
#define BY_NUMBERS "numbers, and texts that are constants or names of the probe"

static const struct refusal
	of_option = {"-x claim=off says so", NULL},
	of_cpus = {"-x cpu asks which CPU each hit is from", NULL},
	of_follow = {"-x follow: children have no tables", NULL},
	of_callers = {"the callers of an instruction within a function are recorded", NULL},
	of_others = {"other clauses of its probe make records", AGGREGATE}, of_clock = {"%s", NULL},
	of_end = {"it is a clause of ERROR", NULL}, of_action = {"%s() makes a record", AGGREGATE},
	of_record = {"it makes a record", AGGREGATE},
	of_incr = {"an aggregation has an increment", NULL},
	of_keys = {"an aggregation has more than seven keys that change", NULL},
	of_key = {"a key is no number, address, stack or known text", BY_NUMBERS},
	of_length = {"an expression is too long", "assign its parts to this->x"},
	of_divisor = {"it divides by what may be 0, and assigns or reads elements or variables of "
		      "all threads with it",
		      "divide by this->x, which is assigned before"},
	of_stop = {"it may fault behind what it assigns, or in a part of an if",
		   "assign it behind that, in a clause without if"},
	of_call = {"%s() is called", BY_NUMBERS},
	of_memory = {"it reads memory in a way that only records have", NULL},
	of_text = {"texts are compared that are not known beforehand", BY_NUMBERS},
	of_builtin = {"%s is read", NULL},
	of_global = {"the variable %s of all threads is no number, or is used by clauses that run "
		     "elsewhere",
		     "self->x, this->x, or an aggregation"},
	of_array = {"the array %s is used by clauses that run elsewhere, or its keys are "
		    "neither numbers nor texts that are known or read there",
		    "self->x[], or an aggregation"},
	of_element = {"keys of self->%s[] are neither numbers nor texts that are known or read "
		      "there, or it is used by clauses that run elsewhere",
		      "self->x by numbers, by probefunc, or by copyinstr()"},
	of_self =
		{"self->%s is no number, nor a text that is known, or is used by clauses that run "
		 "elsewhere",
		 "variables of its own"},
	of_this = {"this->%s is no number, or is given what is not computed there", "numbers"},
	of_value = {"a value is no number", BY_NUMBERS};

static void say(struct fpid_place *out, const struct refusal *r, const char *what)
{
	char *end = out->why;
	const char *at = strstr(r->format, "%s");
	size_t room = sizeof(out->why);

	if (at)
		snprintf(end, room, "%.*s%s%s", (int)(at - r->format), r->format, what, at + 2);
	else
		snprintf(end, room, "%s", r->format);
	out->instead = r->instead;
}

static const char *name_of(const struct difo *d, uint32_t insn)
{
	const struct builtin *b = builtin_by_id((uint16_t)DIF_GETINDEX(insn));

	for (unsigned i = 0; i < d->nvars; i++)
		if (d->vars[i].id == DIF_GETINDEX(insn) && d->vars[i].scope == insn_scope(insn))
			return d->vars[i].name;
	return b ? b->name : "";
}

static const struct refusal *of_variable(uint32_t insn)
{
	unsigned class = insn_class[DIF_OP(insn)], id = DIF_GETINDEX(insn);

	if (class & INSN_KEYS)
		return class & INSN_SELF ? &of_element : &of_array;
	if (class & INSN_SELF)
		return &of_self;
	if (class & INSN_THIS)
		return &of_this;
	if (id >= DIF_VAR_USER)
		return &of_global;
	return &of_builtin;
}

/* A key that is kept by the compiler is as good as the array that it is for. */
static uint32_t element_behind(const struct difo *d, unsigned n)
{
	unsigned op = DIF_OP(d->text[n]);

	if ((op != DIF_OP_STLS && op != DIF_OP_LDLS) || !fpid_is_hidden(d, d->text[n]))
		return d->text[n];
	for (unsigned i = n + 1; i < d->ninsns; i++)
		if (insn_class[DIF_OP(d->text[i])] & INSN_KEYS)
			return d->text[i];
	return d->text[n];
}

static void say_insn(struct fpid_place *out, const struct difo *d, uint32_t insn)
{
	unsigned op = DIF_OP(insn);
	const struct builtin *array = builtin_by_id((uint16_t)DIF_R1(insn));

	if (op == DIF_OP_CALL)
		say(out, &of_call, subrs[DIF_GETINDEX(insn)].name);
	else if (op == DIF_OP_LDGA)
		say(out, &of_builtin, array ? array->name : "");
	else if (insn_class[op] & INSN_VAR)
		say(out, of_variable(insn), name_of(d, insn));
	else if (insn_loads[op].size)
		say(out, &of_memory, "");
	else if (op == DIF_OP_SCMP)
		say(out, &of_text, "");
	else
		say(out, fpid_insns[op].divides ? &of_divisor : &of_value, "");
}

/* False: it can be computed there. */
static bool say_expr(struct fpid_place *out, const struct fpid_shares *sh, const struct difo *d,
		     enum fpid_result result)
{
	unsigned n = d ? fpid_computes(sh, d, result) : 0;

	if (!d || n == d->ninsns)
		return false;
	if (fpid_is_too_long(d))
		say(out, &of_length, "");
	else
		say_insn(out, d, element_behind(d, n));
	return true;
}

static void say_statement(struct fpid_place *out, const struct fpid_shares *sh,
			  const struct stmt *st)
{
	unsigned nkeys = 0;

	for (unsigned i = 0; i < st->nacts; i++) {
		const struct action *act = &st->acts[i];
		enum fpid_result result = act->kind == ACT_EXPR ? FPID_UNUSED : FPID_NUMBER;

		if (act->rec.kind == REC_STRING && act->kind == ACT_AGGKEY)
			result = FPID_TEXT;
		nkeys += act->kind == ACT_AGGKEY;
		if (st->kind != STMT_PLAIN) {
			say(out, &of_action, stmtkinds[st->kind].name);
			return;
		}
		if (say_expr(out, sh, act->difo, result))
			return;
		if (act->incr) {
			say(out, &of_incr, "");
			return;
		}
	}
	say(out, nkeys > HOOK_KEYS_MAX ? &of_keys : nkeys ? &of_key : &of_record, "");
}

static void look_for_hidden(void *arg, const struct difo *d)
{
	*(bool *)arg |= fpid_hides_divisor(d);
}

/* Because of it variables of the clause are not kept there, which is no reason of their own. */
static bool hides_divisor(const struct clause *c)
{
	bool found = false;

	clause_each_difo(c, look_for_hidden, &found);
	return found;
}

/* What a clause does, and the target cannot. */
static void say_clause(struct fpid_place *out, const struct fpid_shares *sh, const struct clause *c)
{
	if (c->is_error) {
		say(out, &of_end, "");
		return;
	}
	if (!c->has_record && hides_divisor(c)) {
		say(out, &of_divisor, "");
		return;
	}
	if (say_expr(out, sh, c->pred, FPID_NUMBER))
		return;
	for (unsigned i = 0; i < c->nstmts; i++)
		if (!fpid_statement_can_run(sh, &c->stmts[i])) {
			say_statement(out, sh, &c->stmts[i]);
			return;
		}
	say(out, c->has_record ? &of_record : !fpid_may_stop(c) ? &of_stop : &of_others, "");
}

static const struct fpid_shares *shares_for(const struct ecb *e, unsigned *nth)
{
	const struct fpid_shares *sh = fpid_shares_of(e->probe);

	for (*nth = 0; *nth < sh->n; ++*nth)
		if (sh->clauses[*nth] == e->clause)
			return sh;
	return NULL;
}

static void place_of(const struct ecb *e, struct fpid_place *out)
{
	struct pid_world *pw = pid_world_of(world_of(e->probe->session));
	const struct pid_probe *pr = e->probe->arg;
	const struct fpid_shares *sh;
	unsigned nth;

	*out = (struct fpid_place){.share = FPID_NOTHING};
	sh = shares_for(e, &nth);
	if (fpid_is_countable(e->probe))
		out->share = FPID_ALL;
	else if (options_ask_cpus(&e->probe->session->options))
		say(out, &of_cpus, "");
	else if (!opt_on(&e->probe->session->options, OPT_CLAIM))
		say(out, &of_option, "");
	else if (opt_on(&e->probe->session->options, OPT_FOLLOW))
		say(out, &of_follow, "");
	else if (!sh)
		say(out, &of_others, "");
	else if (fpid_is_claimed(e->probe))
		out->share = sh->v[nth];
	else if (fpid_clause_reads_clock(e->clause) && fpid_clock_unusable(pw))
		say(out, &of_clock, fpid_clock_unusable(pw));
	else if (fpid_is_within(pr) && fpid_finds_callers(e->probe))
		say(out, &of_callers, "");
	if (!*out->why && out->share != FPID_ALL)
		say_clause(out, sh, e->clause);
}

void fpid_place_tell(const struct ecb *e, char *text, size_t size)
{
	struct fpid_place place;

	place_of(e, &place);
	snprintf(text, size, "%s%s%s", place.why, place.instead ? "; instead: " : "",
		 place.instead ? place.instead : "");
}

/* Enablings of the probes of one description have one reason: they come one behind the other. */
static const char *keep(struct session *s, const struct ecb *before, const char *why)
{
	if (!why[0])
		return NULL;
	return before && before->place.why && strcmp(before->place.why, why) == 0
		       ? before->place.why
		       : arena_strdup(s->arena, why);
}

static enum runs runs_of(const struct ecb *e, enum fpid_share share)
{
	static const enum runs runs[] = {[FPID_NOTHING] = RUNS_RECORDS,
					 [FPID_DECIDES] = RUNS_DECIDED,
					 [FPID_ALL] = RUNS_TARGET};

	return share == FPID_ALL && fpid_is_countable(e->probe) ? RUNS_TARGET_COUNT : runs[share];
}

/* A site without a hook: what its clauses could do does not matter. */
static void place_at_breakpoint(const struct pid_site *site, const char *why)
{
	probe_place(
		site->probe->probe,
		&(struct placement){RUNS_BREAKPOINT, why ? why : "it has no hook", NULL, false});
}

static void place_all(struct session *s)
{
	struct ecb *before = NULL;

	for (uint32_t id = 1; id <= s->necbs; id++) {
		struct ecb *e = session_ecb(s, id);
		struct fpid_place place;

		if (e->probe->provider != &prov_fpid)
			continue;
		place_of(e, &place);
		ecb_place(e, &(struct placement){runs_of(e, place.share),
						 keep(s, before, place.why), place.instead, false});
		before = e;
	}
}

void fpid_places_note(struct session *s, struct pid_proc *pp)
{
	place_all(s);
	for (struct pid_site *site = fpid_first(pp); site; site = fpid_next(site))
		if (site->fpid->hook != HOOK_ON && !site->is_resolver)
			place_at_breakpoint(site, site->fpid->why);
}

void fpid_foresee(struct session *s)
{
	if (!pid_world_of(world_of(s))->fpid) /* none is listed */
		return;
	fpid_claims_decide(s);
	place_all(s);
	for (uint32_t id = 1; id <= s->nprobes; id++) {
		const struct probe *p = probe_by_id(s, id);
		const struct pid_probe *pr = p->arg;

		if (p->provider != &prov_fpid || !p->ecbs)
			continue;
		for (struct pid_site *site = pr->sites; site; site = site->next) {
			const char *why = fpid_foreseen(s, site);

			if (why)
				place_at_breakpoint(site, why);
		}
	}
}

static void report(struct session *s, const struct ecb *e)
{
	const struct clause *c = e->clause;
	struct fpid_place place;
	char why[FPID_PLACE_TEXT];

	place_of(e, &place);
	fpid_place_tell(e, why, sizeof(why));
	if (place.share == FPID_DECIDES)
		session_message(s, MSG_ERR, true,
				"makes records of what its predicate lets through: the clause of "
				"%s:%s:%s:%s at line %d: %s",
				c->desc->prov, c->desc->mod, c->desc->func, c->desc->name, c->line,
				why);
	else if (place.share == FPID_NOTHING)
		session_message(
			s, MSG_ERR, true, "makes records: the clause of %s:%s:%s:%s at line %d: %s",
			c->desc->prov, c->desc->mod, c->desc->func, c->desc->name, c->line, why);
}

void fpid_places_report(struct session *s)
{
	const struct clause *last = NULL;

	for (uint32_t id = 1; id <= s->necbs; id++) {
		const struct ecb *e = session_ecb(s, id);

		if (e->clause != last && e->probe->provider == &prov_fpid)
			report(s, e);
		last = e->clause;
	}
}
