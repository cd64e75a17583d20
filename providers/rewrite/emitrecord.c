#include "providers/rewrite/emitrecord.h"

#include <ctype.h>

#include "symbols/dwarf/types.h"

/* Of every tracepoint: type, flags, preemption, thread. */
#define COMMON_SIZE 8U

/* ---- names ---- */

static void add_word(struct strbuf *out, const char *s)
{
	if (isdigit((unsigned char)s[0]))
		strbuf_addc(out, '_');
	for (; *s; s++)
		strbuf_addc(out, (char)(isalnum((unsigned char)*s) ? *s : '_'));
}

void emitrecord_name(const struct emission *em, struct strbuf *out)
{
	const struct probe *p = em->probe;

	add_word(out, p->func[0] ? p->func : p->name); /* etw:PROVIDER:EVENT:generic_event */
}

static void add_field_name(const struct emission *em, unsigned i, struct strbuf *out)
{
	const char *name = em->fields[i].name;
	bool is_taken = !name || strncmp(name, "common_", 7) == 0 || strncmp(name, "field", 5) == 0;

	for (unsigned k = 0; k < i && !is_taken; k++)
		is_taken = em->fields[k].name && strcmp(em->fields[k].name, name) == 0;
	if (is_taken)
		strbuf_addf(out, "field%u", i);
	else
		add_word(out, name);
}

/* ---- fields ---- */

/* Where a field lies in the record, and how many bytes it takes there: of a text the word that says
 * where it is. */
struct place {
	uint32_t at, size;
};

static uint32_t align_of(const struct rec *rec)
{
	return rec->kind == REC_INT ? rec->size : rec->kind == REC_STRING ? 4 : 1;
}

static struct place next_place(uint32_t *at, const struct rec *rec)
{
	struct place p = {.size = rec->kind == REC_STRING ? 4 : rec->size};

	p.at = ROUND_UP(*at, align_of(rec));
	*at = p.at + p.size;
	return p;
}

static const char *int_type_name(uint32_t size, bool is_signed)
{
	switch (size) {
	case 1:
		return is_signed ? "signed char" : "unsigned char";
	case 2:
		return is_signed ? "short" : "unsigned short";
	case 4:
		return is_signed ? "int" : "unsigned int";
	default:
		return is_signed ? "long" : "unsigned long";
	}
}

static bool is_signed_int(const struct rec *rec)
{
	return rec->kind == REC_INT && !type_is_pointer(rec->type) && type_is_signed(rec->type);
}

static void add_field(const struct emission *em, unsigned i, struct place p, struct strbuf *out)
{
	const struct rec *rec = &em->fields[i].rec;
	const bool is_signed = is_signed_int(rec);

	strbuf_adds(out, "\tfield:");
	if (rec->kind == REC_INT)
		strbuf_addf(out, "%s ", int_type_name(rec->size, is_signed));
	else
		strbuf_adds(out, rec->kind == REC_STRING ? "__data_loc char[] " : "unsigned char ");
	add_field_name(em, i, out);
	if (rec->kind != REC_INT && rec->kind != REC_STRING)
		strbuf_addf(out, "[%u]", rec->size);
	strbuf_addf(out, ";\toffset:%u;\tsize:%u;\tsigned:%d;\n", p.at, p.size, is_signed);
}

static const char *conversion_of(const struct rec *rec)
{
	if (rec->kind == REC_STRING)
		return "%s";
	if (type_is_pointer(rec->type))
		return "0x%lx";
	if (rec->size == 8)
		return is_signed_int(rec) ? "%ld" : "%lu";
	return is_signed_int(rec) ? "%d" : "%u";
}

/* Structures have no conversion: they are seen as bytes by who reads the format. */
static bool is_printed(const struct rec *rec)
{
	return rec->kind == REC_INT || rec->kind == REC_STRING;
}

static void add_print(const struct emission *em, struct strbuf *out)
{
	const char *gap = "";

	strbuf_adds(out, "\nprint fmt: \"");
	for (unsigned i = 0; i < em->nfields; i++) {
		if (!is_printed(&em->fields[i].rec))
			continue;
		strbuf_adds(out, gap);
		add_field_name(em, i, out);
		strbuf_addf(out, "=%s", conversion_of(&em->fields[i].rec));
		gap = " ";
	}
	strbuf_addc(out, '"');
	for (unsigned i = 0; i < em->nfields; i++) {
		const struct rec *rec = &em->fields[i].rec;

		if (!is_printed(rec))
			continue;
		strbuf_adds(out, rec->kind == REC_STRING ? ", __get_str(" : ", REC->");
		add_field_name(em, i, out);
		if (rec->kind == REC_STRING)
			strbuf_addc(out, ')');
	}
	strbuf_addc(out, '\n');
}

void emitrecord_format(const struct emission *em, struct strbuf *out)
{
	uint32_t at = COMMON_SIZE;

	strbuf_adds(out, "\nformat:\n"
			 "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			 "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
			 "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;"
			 "\tsigned:0;\n"
			 "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n");
	for (unsigned i = 0; i < em->nfields; i++)
		add_field(em, i, next_place(&at, &em->fields[i].rec), out);
	add_print(em, out);
}

/* ---- records ---- */

/* Behind the fixed part; returns where it ends, 0: there is no room. */
static size_t put_text(const char *text, size_t max, size_t end, char *out, struct place p)
{
	const uint16_t n = (uint16_t)MIN(strnlen(text, max) + 1, max);
	const uint16_t loc[2] = {(uint16_t)end, n};

	if (end + n > EMITRECORD_MAX)
		return 0;
	memcpy(out + p.at, loc, sizeof(loc));
	memcpy(out + end, text, n - 1U);
	out[end + n - 1] = '\0';
	return end + n;
}

size_t emitrecord_raw(const struct emitted *e, uint32_t number, char out[static EMITRECORD_MAX])
{
	const struct emission *em = e->emission;
	const uint16_t type = (uint16_t)number;
	const int32_t tid = e->ev->tid;
	uint32_t at = COMMON_SIZE;
	size_t end;

	for (unsigned i = 0; i < em->nfields; i++)
		if (next_place(&at, &em->fields[i].rec).size > EMITRECORD_MAX ||
		    at > EMITRECORD_MAX)
			return 0;
	end = at;
	memset(out, 0, end);
	memcpy(out, &type, sizeof(type));
	memcpy(out + 4, &tid, sizeof(tid));
	at = COMMON_SIZE;
	for (unsigned i = 0; i < em->nfields && end; i++) {
		const struct rec *rec = &em->fields[i].rec;
		const struct place p = next_place(&at, rec);
		const char *from = e->data + rec->offset;

		if (rec->kind == REC_STRING)
			end = put_text(from, rec->size, end, out, p);
		else
			memcpy(out + p.at, from, rec->size);
	}
	return end;
}
