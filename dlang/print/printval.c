#include "dlang/print/printval.h"

#include <ctype.h>

#include "base/utf8.h"
#include "symbols/kallsyms.h"

void printer_blanks(const struct printer *pr, size_t n)
{
	static const char blanks[] = "                                                  ";

	for (; n >= sizeof(blanks) - 1; n -= sizeof(blanks) - 1)
		strbuf_add(pr->out, blanks, sizeof(blanks) - 1);
	strbuf_add(pr->out, blanks, n);
}

/* ---- integers ---- */

/* An enum is an int, but one of C++ that is of another type is as that. */
static bool type_prints_signed(const struct type *type)
{
	const struct type *t = type ? type_resolve(type) : NULL;

	return !t || (type_is_integer(t) && t->is_signed) || (t->kind == TYPE_ENUM && t->size == 4);
}

static uint64_t load_unsigned(const char *data, uint32_t size)
{
	uint64_t v = 0;

	memcpy(&v, data, MIN(size, sizeof(v))); /* little-endian */
	return v;
}

static int64_t load_signed(const char *data, uint32_t size)
{
	uint64_t v = load_unsigned(data, size);

	switch (size) {
	case 1:
		return (int8_t)v;
	case 2:
		return (int16_t)v;
	case 4:
		return (int32_t)v;
	default:
		return (int64_t)v;
	}
}

uint64_t rec_int(const struct rec *rec, const char *data, bool *is_signed)
{
	bool sign = type_prints_signed(rec->type);

	if (is_signed)
		*is_signed = sign;
	return sign ? (uint64_t)load_signed(data, rec->size) : load_unsigned(data, rec->size);
}

static void trace_int(const struct printer *pr, const struct rec *rec, const char *data)
{
	bool quiet = opt_on(pr->options, OPT_QUIET), sign;
	uint64_t v = rec_int(rec, data, &sign);
	int width = rec->size == 1 ? 3 : rec->size == 2 ? 5 : rec->size == 4 ? 10 : sign ? 19 : 20;

	if (!quiet)
		strbuf_addc(pr->out, ' ');
	else
		width = 0;
	if (sign)
		strbuf_addf(pr->out, "%*lld", width, (long long)v);
	else
		strbuf_addf(pr->out, "%*llu", width, (unsigned long long)v);
}

static void key_int(const struct printer *pr, const struct rec *rec, const char *data)
{
	switch (rec->size) {
	case 1:
		strbuf_addf(pr->out, " %3u", (unsigned)load_unsigned(data, 1));
		break;
	case 2:
		strbuf_addf(pr->out, " %5u", (unsigned)load_unsigned(data, 2));
		break;
	case 4:
		strbuf_addf(pr->out, " %8d", (int)load_signed(data, 4));
		break;
	default:
		strbuf_addf(pr->out, " %16lld", (long long)load_signed(data, 8));
		break;
	}
}

/* ---- bytes ---- */

static void padded(const struct printer *pr, const char *text, size_t n, size_t width)
{
	strbuf_add(pr->out, text, n);
	if (n < width)
		printer_blanks(pr, width - n);
}

static void trace_string(const struct printer *pr, const struct rec *rec, const char *data)
{
	size_t n = strnlen(data, rec->size);

	if (opt_on(pr->options, OPT_QUIET)) {
		strbuf_add(pr->out, data, n);
		return;
	}
	strbuf_add(pr->out, "  ", 2);
	padded(pr, data, n, 33);
}

#define HEX_COLUMNS 16

static void hex_line(const struct printer *pr, size_t offset, const unsigned char *p, size_t n)
{
	strbuf_addf(pr->out, "     %5zx:", offset);
	for (size_t i = 0; i < HEX_COLUMNS; i++)
		if (i < n)
			strbuf_addf(pr->out, " %02x", p[i]);
		else
			strbuf_add(pr->out, "   ", 3);
	strbuf_add(pr->out, "  ", 2);
	for (size_t i = 0; i < n; i++) {
		bool is_shown = p[i] >= 0x20 && p[i] <= 0x7e;

		strbuf_addc(pr->out, (char)(is_shown ? p[i] : '.'));
	}
	strbuf_addc(pr->out, '\n');
}

void printer_hex(const struct printer *pr, const void *data, size_t n)
{
	const unsigned char *p = data;

	strbuf_adds(pr->out, "\n           ");
	for (unsigned i = 0; i < HEX_COLUMNS; i++)
		strbuf_addf(pr->out, "  %x", i);
	strbuf_adds(pr->out, "  0123456789abcdef\n");
	for (size_t i = 0; i < n; i += HEX_COLUMNS)
		hex_line(pr, i, p + i, MIN(n - i, HEX_COLUMNS));
}

/* docs/spec/d-language.md §12.5: does a key that is an array hold text? */
static bool is_text(const char *data, size_t n)
{
	size_t len = strnlen(data, n);

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)data[i];

		if (!isprint(c) && !isspace(c) && c != '\a' && c != '\b')
			return false;
	}
	for (size_t i = len; i < n; i++)
		if (data[i])
			return false;
	return len > 0;
}

static void key_text(const struct printer *pr, const char *data, size_t size)
{
	strbuf_add(pr->out, "  ", 2);
	padded(pr, data, strnlen(data, size), 50);
}

/* ---- symbols and stacks ---- */

static void address(const struct printer *pr, uint64_t pc)
{
	strbuf_addf(pr->out, "0x%llx", (unsigned long long)pc);
}

/* object`function+0xoff, object`0xaddr or 0xaddr */
static void user_name(const struct printer *pr, taddr_t pc, const struct symname *name,
		      bool with_offset)
{
	if (name->object) {
		strbuf_adds(pr->out, name->object);
		strbuf_addc(pr->out, '`');
	}
	if (!name->function) {
		address(pr, pc);
		return;
	}
	strbuf_adds(pr->out, name->function);
	if (with_offset && name->offset)
		strbuf_addf(pr->out, "+0x%llx", (unsigned long long)name->offset);
}

/* -x noresolve: object:0xoff, off from the start of its mapping; no file is opened for a name. */
static bool is_unresolved(const struct printer *pr, uint32_t aspace, taddr_t pc)
{
	const char *object = NULL;
	uint64_t offset = 0;

	if (!opt_on(pr->options, OPT_NORESOLVE))
		return false;
	if (pr->syms)
		object = symres_mapping(pr->syms, aspace, pc, pr->time_ns, &offset);
	if (object)
		strbuf_addf(pr->out, "%s:0x%llx", object, (unsigned long long)offset);
	else
		address(pr, pc);
	return true;
}

static void user_address(const struct printer *pr, uint32_t aspace, taddr_t pc, bool with_offset)
{
	struct symname name = {0};

	if (is_unresolved(pr, aspace, pc))
		return;
	if (pr->syms) {
		symres_lookup(pr->syms, aspace, pc, pr->time_ns, &name);
		symres_note(pr->syms, aspace, &name);
	}
	user_name(pr, pc, &name, with_offset);
}

/* What a number stands for. */
static const struct symname *listed(const struct printer *pr, uint64_t number)
{
	static const struct symname none;

	return number && number <= pr->names->n ? &pr->names->names[number - 1] : &none;
}

static void listed_name(const struct printer *pr, uint64_t number)
{
	const struct symname *name = listed(pr, number);

	user_name(pr, name->offset, name, true);
}

void printer_kernel_name(const struct printer *pr, taddr_t pc, struct symname *name)
{
	*name = (struct symname){0};
	if (pr->names)
		*name = *listed(pr, pc);
	else if (pr->ksyms)
		kallsyms_lookup(pr->ksyms, pc, name);
}

void printer_frame_name(const struct printer *pr, uint32_t aspace, taddr_t pc, bool is_innermost,
			struct symname *name)
{
	*name = (struct symname){0};
	if (pr->names)
		*name = *listed(pr, pc);
	if (pr->names || opt_on(pr->options, OPT_NORESOLVE))
		return;
	if (pr->syms && is_innermost)
		symres_lookup(pr->syms, aspace, pc, pr->time_ns, name);
	else if (pr->syms)
		symres_lookup_caller(pr->syms, aspace, pc, pr->time_ns, name);
}

/* module`function+0xoff, or 0xaddr */
void printer_kernel_address(const struct printer *pr, uint64_t addr, bool with_offset)
{
	struct symname name = {0};

	if (pr->ksyms)
		kallsyms_lookup(pr->ksyms, addr, &name);
	if (!name.function) {
		address(pr, addr);
		return;
	}
	strbuf_addf(pr->out, "%s`%s", name.object, name.function);
	if (with_offset && name.offset)
		strbuf_addf(pr->out, "+0x%llx", (unsigned long long)name.offset);
}

static void kernel_module(const struct printer *pr, uint64_t addr)
{
	struct symname name = {0};

	if (pr->ksyms)
		kallsyms_lookup(pr->ksyms, addr, &name);
	if (name.object)
		strbuf_adds(pr->out, name.object);
	else
		address(pr, addr);
}

static void user_module(const struct printer *pr, uint32_t aspace, taddr_t pc)
{
	const char *object = pr->syms ? symres_module(pr->syms, aspace, pc, pr->time_ns) : NULL;

	if (object)
		strbuf_adds(pr->out, object);
	else
		address(pr, pc);
}

void printer_symbol(const struct printer *pr, const struct rec *rec, const char *data)
{
	uint64_t first = load_unsigned(data, 8), pc;
	uint32_t aspace = (uint32_t)(first >> 32);

	if (pr->names) {
		listed_name(pr, first);
		return;
	}
	if (rec->kind == REC_SYM || rec->kind == REC_MOD) {
		if (rec->kind == REC_MOD)
			kernel_module(pr, first);
		else
			printer_kernel_address(pr, first, false);
		return;
	}
	pc = load_unsigned(data + 8, 8);
	if (rec->kind == REC_UMOD)
		user_module(pr, aspace, pc);
	else
		user_address(pr, aspace, pc, rec->kind == REC_UADDR);
}

/* Of a module the first address that was seen stands for all. */
static uint64_t same_module(struct hash *modules, uint32_t aspace, const char *object, uint64_t pc)
{
	uint64_t key = hash_bytes(object, strlen(object)) + aspace;
	void *first = hash_get(modules, key);

	if (first)
		return (uintptr_t)first;
	hash_put(modules, key, (void *)(uintptr_t)pc);
	return pc;
}

void printer_same_symbol(const struct printer *pr, struct hash *modules, const struct rec *rec,
			 char *data)
{
	bool is_kernel = rec->kind == REC_SYM || rec->kind == REC_MOD;
	struct symname name = {0};
	uint64_t first, pc;
	uint32_t aspace;

	if (!is_kernel && rec->kind != REC_USYM && rec->kind != REC_UMOD)
		return; /* data may have as little as one byte */
	if (rec->kind == REC_USYM && opt_on(pr->options, OPT_NORESOLVE))
		return;
	first = load_unsigned(data, 8);
	aspace = is_kernel ? 0 : (uint32_t)(first >> 32);
	pc = is_kernel ? first : load_unsigned(data + 8, 8);
	if (is_kernel && pr->ksyms)
		kallsyms_lookup(pr->ksyms, pc, &name);
	else if (rec->kind == REC_UMOD && pr->syms)
		name.object = symres_module(pr->syms, aspace, pc, pr->time_ns);
	else if (!is_kernel && pr->syms)
		symres_lookup(pr->syms, aspace, pc, pr->time_ns, &name);
	if ((rec->kind == REC_MOD || rec->kind == REC_UMOD) && name.object)
		pc = same_module(modules, aspace, name.object, pc);
	else if (name.function)
		pc -= name.offset;
	memcpy(data + (is_kernel ? 0 : 8), &pc, sizeof(pc));
}

void printer_whole_page(const struct printer *pr, const struct rec *rec, char *data)
{
	struct symname name = {0};
	uint64_t pc;

	if (rec->kind != REC_USYM || !pr->syms || opt_on(pr->options, OPT_NORESOLVE))
		return;
	pc = load_unsigned(data + 8, 8);
	symres_lookup(pr->syms, (uint32_t)(load_unsigned(data, 8) >> 32), pc, pr->time_ns, &name);
	if (name.function || !name.is_code)
		return;
	pc &= ~(PAGE - 1);
	memcpy(data + 8, &pc, sizeof(pc));
}

void printer_user_address(const struct printer *pr, uint64_t addr)
{
	uint32_t aspace = ASPACE_NONE;

	if (pr->aspaces)
		aspace = aspace_of(pr->aspaces, pr->pid, pr->time_ns);
	user_address(pr, aspace, addr, true);
}

static void symbol_column(const struct printer *pr, const struct rec *rec, const char *data)
{
	size_t start, columns;

	strbuf_add(pr->out, "  ", 2);
	start = pr->out->len;
	printer_symbol(pr, rec, data);
	columns = utf8_columns(pr->out->s + start, pr->out->len - start);
	if (columns < 50)
		printer_blanks(pr, 50 - columns);
}

void printer_stack(const struct printer *pr, const struct rec *rec, const char *data,
		   unsigned indent)
{
	uint32_t frames = (uint32_t)rec->arg, aspace = 0;
	bool user = rec->kind == REC_USTACK;
	struct symname name;

	if (user) {
		aspace = (uint32_t)(load_unsigned(data, 8) >> 32);
		data += 8;
	}
	strbuf_addc(pr->out, '\n');
	for (uint32_t i = 0; i < frames; i++) {
		uint64_t pc = load_unsigned(data + 8 * (size_t)i, 8);

		if (!pc)
			break;
		printer_blanks(pr, indent);
		if (pr->names) {
			listed_name(pr, pc);
		} else if (!user) {
			printer_kernel_address(pr, pc, true);
		} else if (!is_unresolved(pr, aspace, pc)) {
			printer_frame_name(pr, aspace, pc, i == 0, &name);
			if (pr->syms)
				symres_note(pr->syms, aspace, &name);
			user_name(pr, pc, &name, true);
		}
		strbuf_addc(pr->out, '\n');
	}
}

/* ---- by kind ---- */

static unsigned stack_indent(const struct printer *pr)
{
	return (unsigned)opt(pr->options, OPT_STACKINDENT);
}

void printer_trace(const struct printer *pr, const struct rec *rec, const char *data)
{
	switch (rec->kind) {
	case REC_INT:
		trace_int(pr, rec, data);
		break;
	case REC_STRING:
		trace_string(pr, rec, data);
		break;
	case REC_BYTES:
		printer_hex(pr, data, rec->size);
		break;
	case REC_STACK:
	case REC_USTACK:
		printer_stack(pr, rec, data, stack_indent(pr));
		break;
	case REC_SYM:
	case REC_MOD:
	case REC_USYM:
	case REC_UMOD:
	case REC_UADDR:
		symbol_column(pr, rec, data);
		break;
	case REC_POINTEE: /* of print() only */
	case REC_NONE:
	case REC_NKINDS:
		break;
	}
}

void printer_key(const struct printer *pr, const struct rec *rec, const char *data)
{
	if (rec->kind == REC_INT)
		key_int(pr, rec, data);
	else if (rec->kind == REC_STRING || (rec->kind == REC_BYTES && is_text(data, rec->size)))
		key_text(pr, data, rec->size);
	else
		printer_trace(pr, rec, data);
}
