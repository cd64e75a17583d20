#include "dlang/difo.h"

#include <ctype.h>

#include "base/strbuf.h"
#include "dlang/dlang.h"
#include "dlang/run/vm.h"

/* ---- types, as the header and the variable table show them ---- */

static const char *kind_name(const struct type *t)
{
	switch (t->kind) {
	case TYPE_VOID: /* CTF has no void: it is an integer of no bits */
	case TYPE_INT:
	case TYPE_SYMADDR:
	case TYPE_USYMADDR:
		return "integer";
	case TYPE_FLOAT:
		return "float";
	case TYPE_POINTER:
		return "pointer";
	case TYPE_ARRAY:
	case TYPE_STACK:
		return "array";
	case TYPE_FUNCTION:
		return "function";
	case TYPE_STRUCT:
		return "struct";
	case TYPE_UNION:
		return "union";
	case TYPE_ENUM:
		return "enum";
	case TYPE_FORWARD:
		return "forward";
	case TYPE_TYPEDEF:
		return "typedef";
	case TYPE_CONST:
		return "const";
	case TYPE_VOLATILE:
		return "volatile";
	case TYPE_RESTRICT:
		return "restrict";
	case TYPE_STRING:
	case TYPE_DYN:
	case TYPE_NKINDS:
		break;
	}
	return "unknown";
}

static void print_type(struct strbuf *out, const struct type *t, bool is_userland)
{
	strbuf_addf(out, "%s (%s)", type_is_string(t) ? "string" : "D type",
		    type_is_string(t) ? "unknown" : kind_name(t));
	if (type_is_byref(t))
		strbuf_adds(out, is_userland ? " by user ref" : " by ref");
	strbuf_addf(out, " (size %llu)", (unsigned long long)type_resolve(t)->size);
}

/* ---- instructions ---- */

static const char *var_name(const struct difo *difo, unsigned id, enum dif_scope scope)
{
	const struct builtin *b;

	for (unsigned i = 0; i < difo->nvars; i++)
		if (difo->vars[i].id == id && difo->vars[i].scope == scope)
			return difo->vars[i].name;
	b = scope == DIF_SCOPE_GLOBAL ? builtin_by_id((uint16_t)id) : NULL;
	return b ? b->name : NULL;
}

static enum dif_scope scope_of(unsigned op)
{
	switch (op) {
	case DIF_OP_LDTS:
	case DIF_OP_STTS:
	case DIF_OP_LDTAA:
	case DIF_OP_STTAA:
		return DIF_SCOPE_SELF;
	case DIF_OP_LDLS:
	case DIF_OP_STLS:
		return DIF_SCOPE_THIS;
	default:
		return DIF_SCOPE_GLOBAL;
	}
}

static void print_var_note(struct strbuf *out, const struct difo *difo, unsigned id, unsigned op)
{
	const char *name = var_name(difo, id, scope_of(op));

	if (name)
		strbuf_addf(out, "\t\t! DT_VAR(%u) = \"%s\"", id, name);
}

/* A string constant as it may be written in D. */
static void print_text(struct strbuf *out, const char *s)
{
	static const char escapes[] = "\a\b\f\n\r\t\v\"\\", letters[] = "abfnrtv\"\\";

	for (; *s; s++) {
		const char *e = strchr(escapes, *s);

		if (e)
			strbuf_addf(out, "\\%c", letters[e - escapes]);
		else if (isprint((unsigned char)*s))
			strbuf_addc(out, *s);
		else
			strbuf_addf(out, "\\%03o", (unsigned char)*s);
	}
}

/* The operands of one instruction; each is named as its format in insns.def. */
static void print_R3(struct strbuf *out, const struct difo *difo UNUSED, uint32_t in)
{
	strbuf_addf(out, " %%r%u, %%r%u, %%r%u", DIF_R1(in), DIF_R2(in), DIF_RD(in));
}

static void print_R2(struct strbuf *out, const struct difo *difo UNUSED, uint32_t in)
{
	strbuf_addf(out, " %%r%u, %%r%u", DIF_R1(in), DIF_RD(in));
}

static void print_CMP(struct strbuf *out, const struct difo *difo UNUSED, uint32_t in)
{
	strbuf_addf(out, " %%r%u, %%r%u", DIF_R1(in), DIF_R2(in));
}

static void print_TST(struct strbuf *out, const struct difo *difo UNUSED, uint32_t in)
{
	strbuf_addf(out, " %%r%u", DIF_R1(in));
}

static void print_RET(struct strbuf *out, const struct difo *difo UNUSED, uint32_t in)
{
	strbuf_addf(out, " %%r%u", DIF_RD(in));
}

static void print_BR(struct strbuf *out, const struct difo *difo UNUSED, uint32_t in)
{
	strbuf_addf(out, " %u", DIF_GETLABEL(in));
}

static void print_LD(struct strbuf *out, const struct difo *difo UNUSED, uint32_t in)
{
	strbuf_addf(out, " [%%r%u], %%r%u", DIF_R1(in), DIF_RD(in));
}

static void print_ST(struct strbuf *out, const struct difo *difo UNUSED, uint32_t in)
{
	strbuf_addf(out, " %%r%u, [%%r%u]", DIF_R1(in), DIF_RD(in));
}

static void print_NOP(struct strbuf *out UNUSED, const struct difo *difo UNUSED, uint32_t in UNUSED)
{
}

static void print_SETX(struct strbuf *out, const struct difo *difo, uint32_t in)
{
	unsigned i = DIF_GETINDEX(in);

	strbuf_addf(out, " DT_INTEGER[%u], %%r%u", i, DIF_RD(in));
	strbuf_addf(out, "\t\t! 0x%llx", (unsigned long long)difo->ints[i]);
}

static void print_SETS(struct strbuf *out, const struct difo *difo, uint32_t in)
{
	unsigned i = DIF_GETINDEX(in);

	strbuf_addf(out, " DT_STRING[%u], %%r%u\t\t! \"", i, DIF_RD(in));
	print_text(out, difo->strs + i);
	strbuf_addc(out, '"');
}

static void print_LDV(struct strbuf *out, const struct difo *difo, uint32_t in)
{
	unsigned id = DIF_GETINDEX(in);

	strbuf_addf(out, " DT_VAR(%u), %%r%u", id, DIF_RD(in));
	print_var_note(out, difo, id, DIF_OP(in));
}

static void print_STV(struct strbuf *out, const struct difo *difo, uint32_t in)
{
	unsigned id = DIF_GETINDEX(in);

	strbuf_addf(out, " %%r%u, DT_VAR(%u)", DIF_RD(in), id);
	print_var_note(out, difo, id, DIF_OP(in));
}

static void print_LDA(struct strbuf *out, const struct difo *difo, uint32_t in)
{
	unsigned id = DIF_R1(in);

	strbuf_addf(out, " DT_VAR(%u), %%r%u, %%r%u", id, DIF_R2(in), DIF_RD(in));
	print_var_note(out, difo, id, DIF_OP(in));
}

static void print_CALL(struct strbuf *out, const struct difo *difo UNUSED, uint32_t in)
{
	unsigned n = DIF_GETINDEX(in);

	strbuf_addf(out, " DIF_SUBR(%u), %%r%u\t\t! %s", n, DIF_RD(in), subrs[n].name);
}

static void print_PUSH(struct strbuf *out, const struct difo *difo UNUSED, uint32_t in)
{
	unsigned kind = DIF_R1(in);

	strbuf_addf(out, " DT_TYPE(%u)", kind);
	if (DIF_OP(in) == DIF_OP_PUSHTR)
		strbuf_addf(out, ", %%r%u", DIF_R2(in));
	strbuf_addf(out, ", %%r%u\t\t! DT_TYPE(%u) = %s", DIF_RD(in), kind,
		    kind == DIF_PUSH_STRING ? "string" : "D type");
}

#define print_MOV   print_R2
#define print_FLUSH print_NOP

static const struct {
	const char *name;
	void (*operands)(struct strbuf *, const struct difo *, uint32_t);
} insns[DIF_NOPS] = {
#define INSN(name, format, class) [DIF_OP_##name] = {#name, print_##format},
#include "dlang/insns.def"
#undef INSN
};

static void print_insn(struct strbuf *out, const struct difo *difo, unsigned i)
{
	uint32_t in = difo->text[i];
	unsigned op = DIF_OP(in);
	char name[16];
	unsigned n = 0;

	for (const char *p = insns[op].name; *p; p++)
		name[n++] = (char)tolower((unsigned char)*p);
	name[n] = '\0';
	strbuf_addf(out, "%02u: %08x    ", i, in);
	/* padded only where operands follow */
	strbuf_addf(out, insns[op].operands == print_NOP ? "%s" : "%-4s", name);
	insns[op].operands(out, difo, in);
	strbuf_addc(out, '\n');
}

static void print_vars(struct strbuf *out, const struct difo *difo)
{
	static const char *const scopes[] = {"glb", "tls", "loc"};

	strbuf_addf(out, "\n%-16s %-4s %-3s %-3s %-4s %s\n", "NAME", "ID", "KND", "SCP", "FLAG",
		    "TYPE");
	for (unsigned i = 0; i < difo->nvars; i++) {
		const struct dif_var *v = &difo->vars[i];
		const char *flag = v->is_written ? (v->is_read ? "r/w" : "w") : "r";

		strbuf_addf(out, "%-16s %-4u %-3s %-3s %-4s ", v->name, v->id,
			    v->is_array ? "arr" : "scl", scopes[v->scope], flag);
		if (v->type)
			print_type(out, v->type, false);
		strbuf_addc(out, '\n');
	}
}

void difo_print(const struct difo *difo, struct strbuf *out)
{
	strbuf_addf(out, "\nDIFO %p returns ", (const void *)difo);
	print_type(out, difo->type, difo->is_userland);
	strbuf_addf(out, "\n%-3s %-8s    %s\n", "OFF", "OPCODE", "INSTRUCTION");
	for (unsigned i = 0; i < difo->ninsns; i++)
		print_insn(out, difo, i);
	if (difo->nvars)
		print_vars(out, difo);
}

char *dlang_disassemble(const struct program *program)
{
	struct strbuf out;

	strbuf_init(&out);
	for (const struct clause *c = program->clauses; c; c = c->next) {
		if (c->pred)
			difo_print(c->pred, &out);
		for (unsigned i = 0; i < c->nstmts; i++) {
			const struct stmt *st = &c->stmts[i];

			for (unsigned j = 0; j < st->nacts; j++) {
				if (st->acts[j].difo)
					difo_print(st->acts[j].difo, &out);
				if (st->acts[j].incr)
					difo_print(st->acts[j].incr, &out);
			}
		}
	}
	return out.s;
}
