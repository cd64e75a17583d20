#include "dlang/offload/capture.h"

#include "dlang/offload/dataflow.h"
#include "dlang/run/vm.h"

#define OF_PROC "what /proc says of it is read while the thread stands still"

static const char *add_builtin(struct capture *c, unsigned id)
{
	switch (id) {
	case BUILTIN_EXECARGS:
		return OF_PROC;
	case BUILTIN_CURTHREAD:
		return "curthread is looked up while the thread stands still";
	case BUILTIN_VTIMESTAMP:
		c->vtime = true;
		/* fall through */
	case BUILTIN_TIMESTAMP:
	case BUILTIN_WALLTIMESTAMP:
		c->time = true;
		break;
	case BUILTIN_CPU:
		c->cpu = true;
		break;
	case BUILTIN_CALLER:
	case BUILTIN_UCALLER:
		c->nframes = MAX(c->nframes, 2);
		break;
	case BUILTIN_USTACKDEPTH:
		c->nframes = VM_MAX_PCS;
		break;
	default:
		if (id >= BUILTIN_ARG0 && id <= BUILTIN_ARG9)
			c->nargs = MAX(c->nargs, id - BUILTIN_ARG0 + 1);
		c->time |= id >= DIF_VAR_USER;
	}
	return NULL;
}

static const char *add_array(struct capture *c, unsigned id, unsigned needs)
{
	switch (id) {
	case BUILTIN_PROCNUM:
	case BUILTIN_PROCTEXT:
	case BUILTIN_FDNUM:
	case BUILTIN_FDTEXT:
		return OF_PROC;
	case BUILTIN_UREGS:
		c->regs = true;
		break;
	case BUILTIN_ARGS:
		c->nargs = MAX(c->nargs, needs & NEED_STACKARGS ? EVENT_ARGS : EVENT_REG_ARGS);
		break;
	default: /* of CPUs */
		break;
	}
	return NULL;
}

/* What others may write, or read: then it matters who comes first. */
static bool is_shared(unsigned op)
{
	return insn_class[op] & INSN_VAR && !(insn_class[op] & INSN_THIS) &&
	       insn_class[op] & (INSN_STORE | INSN_SELF | INSN_KEYS);
}

static const char *add_difo(struct capture *c, const struct difo *d)
{
	const char *why = NULL;

	if (d && d->is_destructive)
		return "copyout() writes while the thread stands still";
	for (unsigned i = 0; d && i < d->ninsns && !why; i++) {
		uint32_t insn = d->text[i];

		c->time |= is_shared(DIF_OP(insn));
		if (DIF_OP(insn) == DIF_OP_LDGS)
			why = add_builtin(c, DIF_GETINDEX(insn));
		else if (DIF_OP(insn) == DIF_OP_LDGA)
			why = add_array(c, DIF_R1(insn), d->needs);
		else if (DIF_OP(insn) == DIF_OP_CALL && DIF_GETINDEX(insn) == SUBR_USTACKID)
			c->nframes = VM_MAX_PCS;
	}
	return why;
}

static const char *add_action(struct capture *c, struct dataflow *flow, const struct action *act)
{
	const char *why = add_difo(c, act->difo);

	if (!why)
		why = add_difo(c, act->incr);
	if (!why)
		why = dataflow_action(flow, act);
	if (act->kind == ACT_CHILL)
		return "chill() holds the thread";
	if (act->rec.kind == REC_USTACK && !act->difo)
		c->nframes = MAX(c->nframes, MIN((uint32_t)act->rec.arg, VM_MAX_PCS));
	return why;
}

static const char *add_clause(struct capture *c, const struct clause *cl, struct dataflow *flow)
{
	const char *why = add_difo(c, cl->pred);

	/* a record has its place among others, and a column for the CPU */
	c->time |= cl->has_record;
	c->cpu |= cl->has_record;
	dataflow_clause(flow, c);
	if (!why)
		why = dataflow_difo(flow, cl->pred);
	for (unsigned i = 0; i < cl->nstmts; i++)
		for (unsigned j = 0; j < cl->stmts[i].nacts && !why; j++)
			why = add_action(c, flow, &cl->stmts[i].acts[j]);
	if (why)
		return why;
	if (cl->needs & NEED_KERNEL)
		return "memory of the kernel is read while the thread stands still";
	if (cl->needs & NEED_ACT)
		return "stop() and raise() act on the thread";
	if (cl->needs & NEED_FPREGS)
		return "floating-point arguments are read while the thread stands still";
	return NULL;
}

/* Probes of events that clauses emit, each once. */
struct reached {
	const struct probe *v[16];
	unsigned n;
};

static const char *reach(struct reached *r, const struct clause *cl)
{
	for (unsigned i = 0; i < cl->nstmts; i++) {
		const struct probe *p = cl->stmts[i].emission ? cl->stmts[i].emission->probe : NULL;
		unsigned j = 0;

		while (j < r->n && r->v[j] != p)
			j++;
		if (!p || j < r->n)
			continue;
		if (r->n == ARRAY_SIZE(r->v))
			return "many kinds of events are emitted";
		r->v[r->n++] = p;
	}
	return NULL;
}

/* What the clauses of emitted events read at the event that they are emitted at. Arguments of these
 * are their own, so what those lead to cannot be followed. */
static const char *add_reached(struct capture *c, struct reached *r, uint64_t strsize)
{
	const char *why = NULL;
	struct dataflow flow;

	dataflow_begin(&flow, strsize, true);
	for (unsigned i = 0; i < r->n && !why; i++)
		for (const struct ecb *e = r->v[i]->ecbs; e && !why; e = e->next) {
			if (e->clause->needs & NEED_TARGET)
				return "a clause of an event that is emitted reads memory";
			why = add_clause(c, e->clause, &flow);
			if (!why)
				why = reach(r, e->clause);
		}
	return why;
}

/* A clause before, for what it assigns: what it reads is not asked for. */
static void follow(struct dataflow *flow, const struct capture *c, const struct clause *cl)
{
	struct capture other = *c;

	add_clause(&other, cl, flow);
}

/* only: NULL: all of them. */
static const char *capture(const struct probe *p, const struct ecb *only, struct capture *c)
{
	uint64_t strsize = (uint64_t)opt(&p->session->options, OPT_STRSIZE);
	struct reached emitted = {0};
	bool can_fault = false;
	const char *why = NULL;
	struct dataflow flow;

	dataflow_begin(&flow, strsize, false);
	*c = (struct capture){.cpu = options_ask_cpus(&p->session->options), .has_regs = true};
	if (probe_is_logged(p)) { /* for other questions, later */
		c->nargs = EVENT_REG_ARGS;
		c->cpu = c->time = true;
	}
	for (const struct ecb *e = p->ecbs; e && !why; e = e->next) {
		if (only && e != only) {
			follow(&flow, c, e->clause);
			continue;
		}
		why = add_clause(c, e->clause, &flow);
		if (!why)
			why = reach(&emitted, e->clause);
		can_fault |= e->clause->can_fault;
		if (only)
			break;
	}
	if (!why)
		why = add_reached(c, &emitted, strsize);
	if (!can_fault)
		return why;
	dataflow_begin(&flow, strsize, true);
	for (const struct ecb *e = p->session->error_probe->ecbs; e && !why; e = e->next)
		why = add_clause(c, e->clause, &flow);
	return why;
}

const char *probe_capture(const struct probe *p, struct capture *c)
{
	return capture(p, NULL, c);
}

const char *ecb_capture(const struct ecb *ecb, struct capture *c)
{
	return capture(ecb->probe, ecb, c);
}

/* What can be told; why, of the first that cannot. */
static void add_memory(struct capture *c, const struct clause *cl, struct dataflow *flow,
		       const char **why)
{
	const char *bad;

	dataflow_clause(flow, c);
	bad = dataflow_difo(flow, cl->pred);
	*why = *why ? *why : bad;
	for (unsigned i = 0; i < cl->nstmts; i++)
		for (unsigned j = 0; j < cl->stmts[i].nacts; j++) {
			bad = dataflow_action(flow, &cl->stmts[i].acts[j]);
			*why = *why ? *why : bad;
		}
}

const char *probe_capture_memory(const struct probe *p, struct capture *c)
{
	const char *why = NULL;
	struct dataflow flow;

	*c = (struct capture){0};
	dataflow_begin(&flow, (uint64_t)opt(&p->session->options, OPT_STRSIZE), false);
	for (const struct ecb *e = p->ecbs; e; e = e->next)
		add_memory(c, e->clause, &flow, &why);
	return why;
}

static void add_probe(struct capture *c, const struct probe *p)
{
	const char *why = NULL; /* the rest is a fault when it is read */
	struct dataflow flow;

	c->of_kernel = true;
	dataflow_begin(&flow, (uint64_t)opt(&p->session->options, OPT_STRSIZE), false);
	for (const struct ecb *e = p->ecbs; e; e = e->next)
		add_memory(c, e->clause, &flow, &why);
}

void probe_capture_kernel(const struct probe *p, struct capture *c)
{
	*c = (struct capture){.of_kernel = true};
	add_probe(c, p);
}

void probe_capture_thread(const struct probe *p, struct capture *c)
{
	c->of_thread = true;
	add_probe(c, p);
}
