#include "command/usdt_build.h"
#include "dlang/session_engine.h"

#include <ctype.h>
#include <errno.h>

#define TYPE_TEXT 256

/* ---- types ---- */

/* Names that D has and C on Linux has not are said by what they stand for. */
static const struct type *known_to_c(const struct type *t)
{
	static const char *const foreign[] = {"uchar_t",  "ushort_t",	"uint_t",
					      "ulong_t",  "longlong_t", "u_longlong_t",
					      "zoneid_t", "taskid_t",	"projid_t"};

	for (unsigned i = 0; t->kind == TYPE_TYPEDEF && i < ARRAY_SIZE(foreign); i++)
		if (strcmp(t->name, foreign[i]) == 0)
			return known_to_c(t->ref);
	return t;
}

struct usdt_arg usdt_arg_of(struct session *s, const struct type *type)
{
	const struct type *t = type_resolve(type);
	struct usdt_arg a = {.is_float = type_is_float(t)};
	char text[TYPE_TEXT];

	if (type_is_string(t)) {
		a.ctype = "const char *";
		a.size = 8;
		return a;
	}
	a.ctype = arena_strdup(s->arena, type_name(known_to_c(type), text, sizeof(text)));
	if (t->kind == TYPE_ARRAY) { /* as C passes it */
		a.ctype = arena_strdup(s->arena, type_name(type_pointer(&s->engine->types, t->ref),
							   text, sizeof(text)));
		a.size = 8;
	} else if (type_is_scalar(t) || (a.is_float && t->size <= 8)) {
		a.size = type_is_signed(t) || a.is_float ? -(int)t->size : (int)t->size;
	}
	return a;
}

const char *usdt_types_text(struct session *s, const struct probe_decl *d)
{
	const char *text = "";

	for (const struct param *p = d->args; p; p = p->next)
		text = arena_printf(s->arena, "%s%s%s", text, *text ? ", " : "",
				    usdt_arg_of(s, p->type).ctype);
	return text;
}

/* ---- text ---- */

static void add_upper(struct strbuf *out, const char *text)
{
	for (; *text; text++)
		if (*text == '-' || *text == '.')
			strbuf_addc(out, '_');
		else
			strbuf_addc(out, (char)toupper((unsigned char)*text));
}

/* PROV_PROBE: the probe's name as in descriptions, so "__" has become one "_". */
static void add_macro(struct strbuf *out, const struct prov_decl *p, const struct probe_decl *d,
		      const char *suffix)
{
	strbuf_adds(out, "#define\t");
	add_upper(out, p->name);
	strbuf_addc(out, '_');
	add_upper(out, d->name);
	strbuf_adds(out, suffix);
}

static void add_names(struct strbuf *out, const struct probe_decl *d)
{
	for (unsigned i = 0; i < d->nargs; i++)
		strbuf_addf(out, "%sarg%u", i ? ", " : "", i);
}

/* ---- one probe ---- */

/* A macro of ours that makes a note; its operands are those of the asm statement. */
static const char machinery[] =
	"#ifndef\t_DTRACE_NOTE\n"
	"#define\t_DTRACE_NOTE(prov, probe, semaphore, args) \\\n"
	"\t\"990: nop\\n\" \\\n"
	"\t\".pushsection .note.stapsdt,\\\"?\\\",\\\"note\\\"\\n\" \\\n"
	"\t\".balign 4\\n\" \\\n"
	"\t\".4byte 992f-991f, 994f-993f, 3\\n\" \\\n"
	"\t\"991: .asciz \\\"stapsdt\\\"\\n\" \\\n"
	"\t\"992: .balign 4\\n\" \\\n"
	"\t\"993: .8byte 990b, _.stapsdt.base, \" semaphore \"\\n\" \\\n"
	"\t\".asciz \\\"\" prov \"\\\"\\n\" \\\n"
	"\t\".asciz \\\"\" probe \"\\\"\\n\" \\\n"
	"\t\".asciz \\\"\" args \"\\\"\\n\" \\\n"
	"\t\"994: .balign 4\\n\" \\\n"
	"\t\".popsection\\n\" \\\n"
	"\t\".ifndef _.stapsdt.base\\n\" \\\n"
	"\t\".pushsection .stapsdt.base,\\\"aG\\\",\\\"progbits\\\",.stapsdt.base,comdat\\n\" \\\n"
	"\t\".weak _.stapsdt.base\\n\" \\\n"
	"\t\".hidden _.stapsdt.base\\n\" \\\n"
	"\t\"_.stapsdt.base: .space 1\\n\" \\\n"
	"\t\".size _.stapsdt.base, 1\\n\" \\\n"
	"\t\".popsection\\n\" \\\n"
	"\t\".endif\\n\"\n"
	"#define\t_DTRACE_TYPES(prov, probe, types) \\\n"
	"\t__asm__(\".pushsection .note.dtrace,\\\"\\\",\\\"note\\\"\\n\" \\\n"
	"\t\".balign 4\\n\" \\\n"
	"\t\".4byte 992f-991f, 994f-993f, 1\\n\" \\\n"
	"\t\"991: .asciz \\\"dtrace\\\"\\n\" \\\n"
	"\t\"992: .balign 4\\n\" \\\n"
	"\t\"993: .asciz \\\"\" prov \"\\\"\\n\" \\\n"
	"\t\".asciz \\\"\" probe \"\\\"\\n\" \\\n"
	"\t\".asciz \\\"\" types \"\\\"\\n\" \\\n"
	"\t\"994: .balign 4\\n\" \\\n"
	"\t\".popsection\\n\")\n"
	"#define\t_DTRACE_INLINE static __inline__ __attribute__((always_inline, unused))\n"
	"#define\t_DTRACE_SEMAPHORE \\\n"
	"\t__attribute__((weak, used, visibility(\"hidden\"), section(\".probes\")))\n"
	"#endif\n\n";

static void add_macros(struct strbuf *out, const struct prov_decl *p, const struct probe_decl *d)
{
	add_macro(out, p, d, "(");
	add_names(out, d);
	strbuf_addf(out, ") \\\n\t__dtrace_%s___%s(", p->name, d->symbol);
	add_names(out, d);
	strbuf_adds(out, ")\n");
	add_macro(out, p, d, "_ENABLED() \\\n");
	strbuf_addf(out, "\t__dtraceenabled_%s___%s()\n", p->name, d->symbol);
}

/*
 * Compilers allow an asm statement 30 operands: arguments from this one on lie in memory, 8 bytes
 * each, behind one register. __typeof__: a type without a name may have its name in the middle.
 */
#define DIRECT_ARGS 12

static void add_rest(struct session *s, struct strbuf *out, const struct probe_decl *d)
{
	unsigned i = 0;

	strbuf_adds(out, "\tstruct {\n");
	for (const struct param *a = d->args; a; a = a->next, i++)
		if (i >= DIRECT_ARGS)
			strbuf_addf(out, "\t\t__typeof__(%s) arg%u __attribute__((aligned(8)));\n",
				    usdt_arg_of(s, a->type).ctype, i);
	strbuf_adds(out, "\t} rest = {");
	for (i = DIRECT_ARGS; i < d->nargs; i++)
		strbuf_addf(out, "%sarg%u", i > DIRECT_ARGS ? ", " : "", i);
	strbuf_adds(out, "};\n");
}

static void add_operands(struct session *s, struct strbuf *out, const struct probe_decl *d)
{
	unsigned i = 0;

	for (const struct param *a = d->args; a && i < DIRECT_ARGS; a = a->next, i++)
		strbuf_addf(out, "%s \"%s\" (arg%u)", i ? "," : " :",
			    usdt_arg_of(s, a->type).is_float ? "m" : "nor", i);
	if (d->nargs > DIRECT_ARGS)
		strbuf_adds(out, ", \"r\" (&rest), \"m\" (rest)");
}

static int add_function(struct session *s, struct strbuf *out, const struct prov_decl *p,
			const struct probe_decl *d, struct err *err)
{
	unsigned i = 0;

	strbuf_addf(out, "_DTRACE_INLINE void __dtrace_%s___%s(", p->name, d->symbol);
	for (const struct param *a = d->args; a; a = a->next, i++)
		strbuf_addf(out, "%s__typeof__(%s) arg%u", i ? ", " : "",
			    usdt_arg_of(s, a->type).ctype, i);
	strbuf_addf(out, "%s)\n{\n", i ? "" : "void");
	if (d->nargs > DIRECT_ARGS)
		add_rest(s, out, d);
	strbuf_addf(out,
		    "\t__asm__ __volatile__(_DTRACE_NOTE(\"%s\", \"%s\",\n\t    "
		    "\"%s_%s_semaphore\", \"",
		    p->name, d->symbol, p->name, d->symbol);
	i = 0;
	for (const struct param *a = d->args; a; a = a->next, i++) {
		struct usdt_arg arg = usdt_arg_of(s, a->type);

		if (!arg.size)
			return err_set(err, -EINVAL,
				       "argument #%u of probe %s of provider %s has type %s, which "
				       "no probe can pass",
				       i + 1, d->name, p->name, arg.ctype);
		strbuf_addf(out, "%s%d%s@", i ? " " : "", arg.size, arg.is_float ? "f" : "");
		if (i < DIRECT_ARGS)
			strbuf_addf(out, "%%%u", i);
		else
			strbuf_addf(out, "%u(%%%u)", 8 * (i - DIRECT_ARGS), DIRECT_ARGS);
	}
	strbuf_adds(out, "\")\n\t    :");
	add_operands(s, out, d);
	strbuf_adds(out, ");\n}\n");
	return 0;
}

static void add_enabled(struct strbuf *out, const struct prov_decl *p, const struct probe_decl *d)
{
	strbuf_addf(out,
		    "_DTRACE_SEMAPHORE volatile unsigned short %s_%s_semaphore;\n"
		    "_DTRACE_INLINE int __dtraceenabled_%s___%s(void)\n"
		    "{\n\treturn (__builtin_expect(%s_%s_semaphore, 0));\n}\n",
		    p->name, d->symbol, p->name, d->symbol, p->name, d->symbol);
}

static void add_empty_macros(struct strbuf *out, const struct prov_decl *p,
			     const struct probe_decl *d)
{
	add_macro(out, p, d, "(");
	add_names(out, d);
	strbuf_adds(out, ")\n");
	add_macro(out, p, d, "_ENABLED() (0)\n");
}

/* ---- the whole ---- */

static int add_provider(struct session *s, struct strbuf *out, const struct prov_decl *p,
			struct err *err)
{
	strbuf_adds(out, "#ifndef\t_DTRACE_VERSION\n"
			 "#define _DTRACE_VERSION 1\n"
			 "#endif\n\n"
			 "#if _DTRACE_VERSION\n\n");
	for (const struct probe_decl *d = p->probes; d; d = d->next) {
		int rc;

		add_macros(out, p, d);
		strbuf_addc(out, '\n');
		strbuf_addf(out, "_DTRACE_TYPES(\"%s\", \"%s\", \"%s\");\n", p->name, d->symbol,
			    usdt_types_text(s, d));
		add_enabled(out, p, d);
		rc = add_function(s, out, p, d, err);
		if (rc < 0)
			return rc;
		strbuf_addc(out, '\n');
	}
	strbuf_adds(out, "#else\n\n");
	for (const struct probe_decl *d = p->probes; d; d = d->next)
		add_empty_macros(out, p, d);
	strbuf_adds(out, "\n#endif\n\n");
	return 0;
}

int usdt_header(struct session *s, const char *name, struct strbuf *out, struct err *err)
{
	struct strbuf guard;
	int rc = 0;

	strbuf_init(&guard);
	strbuf_addc(&guard, '_');
	add_upper(&guard, name);
	strbuf_addf(out,
		    "/*\n * Generated by dtrace(1M).\n */\n\n#ifndef\t%s\n#define\t%s\n\n"
		    "#include <unistd.h>\n#include <inttypes.h>\n\n"
		    "#ifdef\t__GNUC__\n#pragma GCC system_header\n#endif\n\n"
		    "#ifdef\t__cplusplus\nextern \"C\" {\n#endif\n\n%s",
		    guard.s, guard.s, machinery);
	for (const struct prov_decl *p = s->engine->prov_decls; p && rc == 0; p = p->next)
		if (!p->is_library)
			rc = add_provider(s, out, p, err);
	strbuf_addf(out, "#ifdef\t__cplusplus\n}\n#endif\n\n#endif\t/* %s */\n", guard.s);
	strbuf_release(&guard);
	return rc;
}
