#include "inject/x86/trampoline.h"

#include <errno.h>
#include <stdlib.h>

#include "hook/hook_proto.h"
#include "inject/x86/native_code.h"

/* Cold parts of native clauses: behind the trampoline. */
struct cold_parts {
	struct cold {
		struct native *native;
		taddr_t at; /* of its other part */
	} v[RELOC_STOPS * PAYLOAD_MAX];
	unsigned n, len; /* bytes */
};

/* What stands at one stop. */
struct trampoline {
	taddr_t at;
	unsigned len;
	uint8_t code[RELOC_CODE_MAX];
};

static void add(struct trampoline *s, const void *bytes, size_t n)
{
	memcpy(s->code + s->len, bytes, n);
	s->len += (unsigned)n;
}

#define ADD(s, ...) add(s, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static void add32(struct trampoline *s, uint32_t v)
{
	add(s, &v, sizeof(v));
}

static int call_function(struct trampoline *s, taddr_t function)
{
	uint8_t code[JUMP_LEN];
	int r = trampoline_jump(s->at + s->len, function, code);

	code[0] = 0xe8; /* call */
	add(s, code, sizeof(code));
	return r;
}

/* rcx: the thread's block; 0: it has none. Keeps all else, and the flags. */
static int find_block(struct trampoline *s, const struct trampoline_request *rq)
{
	ADD(s, 0x64, 0x48, 0x8b, 0x0c, 0x25); /* mov %fs:word, %rcx */
	add32(s, rq->word);
	if (!rq->take_block)
		return 0;
	ADD(s, 0x48, 0x8b, 0x09, 0xe3, 0x02, 0xeb, 0x05); /* mov (%rcx), %rcx; jrcxz 1f; jmp 2f */
	return call_function(s, rq->take_block);
}

static int count_in_block(struct trampoline *s, const struct trampoline_request *rq, uint32_t cell)
{
	int r = find_block(s, rq);

	if (!rq->take_block)
		ADD(s, 0xe3, 0x07); /* jrcxz behind it */
	ADD(s, 0x48, 0xff, 0x81);   /* incq cell(%rcx) */
	add32(s, cell);
	return r;
}

/* At the beginning of a function nothing below rsp is live, nor are the flags but CF (which inc
 * leaves alone). */
static int count(struct trampoline *s, const struct trampoline_request *rq, uint32_t cell)
{
	int r;

	ADD(s, 0x51); /* push %rcx */
	r = count_in_block(s, rq, cell);
	ADD(s, 0x59); /* pop %rcx */
	return r;
}

#define SKIP_LEN 5
#define PUSH_LEN 1
#define SAVE_LEN 6  /* push %rax; push %rcx; lahf; seto %al */
#define FIND_LEN 14 /* mov %fs:word, %rcx; jrcxz; the opcode of incq */

static void skip_red_zone(struct trampoline *s)
{
	ADD(s, 0x48, 0x8d, 0x64, 0x24, 0x80); /* lea -128(%rsp), %rsp: SKIP_LEN bytes */
}

static void unskip_red_zone(struct trampoline *s)
{
	ADD(s, 0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0); /* lea 128(%rsp), %rsp */
}

static int count_keeping_flags(struct trampoline *s, const struct trampoline_request *rq,
			       uint32_t cell)
{
	int r;

	skip_red_zone(s);
	ADD(s, 0x50, 0x51);		/* push %rax; push %rcx */
	ADD(s, 0x9f, 0x0f, 0x90, 0xc0); /* lahf; seto %al */
	r = count_in_block(s, rq, cell);
	ADD(s, 0x04, 0x7f, 0x9e); /* add $127, %al (sets OF again); sahf */
	ADD(s, 0x59, 0x58);	  /* pop %rcx; pop %rax */
	unskip_red_zone(s);
	return r;
}

#define PUSH_RCX 0x51

/* mov -HOOK_DEPTH(%rsp), %eax */
static const uint8_t look_down[] = {0x8b, 0x84, 0x24};

static int call(struct trampoline *s, const struct payload *p, bool keeps_flags_and_redzone)
{
	ADD(s, 0xb8); /* mov $number, %eax */
	add32(s, p->number | (keeps_flags_and_redzone ? HOOK_SKIPPED : 0));
	return call_function(s, p->function);
}

/* Its cold part comes behind the trampoline, which `code` is a part of. */
static int native_clause(struct trampoline *s, const struct native *n,
			 const struct trampoline_request *rq)
{
	struct cold *a = &rq->cold_parts->v[rq->cold_parts->n];
	int r = n->len + rq->cold_parts->len + 2 * PAYLOAD_SIZE > sizeof(s->code) - s->len
			? -ENOSPC
			: native_copy(n, s->at + s->len, s->code + s->len);

	if (r < 0)
		return r;
	if (n->cold) {
		*a = (struct cold){native_dup(n), s->at + s->len};
		rq->cold_parts->n++;
		rq->cold_parts->len += n->len - n->cold;
	}
	s->len += (unsigned)r;
	return 0;
}

static int record(struct trampoline *s, const struct payload *p,
		  const struct trampoline_request *rq)
{
	struct native_context context = {.word = rq->word,
					 .keeps_flags_and_redzone = rq->keeps_flags_and_redzone};
	struct native n;
	int r = native_record(&n, &context, p->record);

	return r < 0 ? r : native_clause(s, &n, rq);
}

/* What is called gives everything back but rax and rsp. */
static int function(struct trampoline *s, const struct payload *p,
		    const struct trampoline_request *rq)
{
	int r = p->record ? record(s, p, rq) : -ENOSPC;

	return r == -ENOSPC ? call(s, p, rq->keeps_flags_and_redzone) : r;
}

static int payload(struct trampoline *s, const struct payload *p,
		   const struct trampoline_request *rq)
{
	int r;

	if (p->kind == PAYLOAD_COUNT)
		return rq->keeps_flags_and_redzone ? count_keeping_flags(s, rq, p->cell)
						   : count(s, rq, p->cell);
	if (rq->keeps_flags_and_redzone)
		skip_red_zone(s);
	ADD(s, 0x50); /* push %rax */
	add(s, look_down, sizeof(look_down));
	add32(s, -(uint32_t)HOOK_DEPTH);
	r = p->kind == PAYLOAD_CALL ? function(s, p, rq) : native_clause(s, p->native, rq);
	ADD(s, 0x58); /* pop %rax */
	if (rq->keeps_flags_and_redzone)
		unskip_red_zone(s);
	return r;
}

static int fill(void *arg, unsigned i, taddr_t at, uint8_t *code, unsigned room)
{
	const struct trampoline_request *rq = arg;
	const struct payloads *ps = &rq->payloads[i];
	unsigned begin = (unsigned)(at - rq->moved.to);
	struct trampoline s; /* not all of it is zeroed for each window: it is long */
	int r = 0;

	s.at = at;
	s.len = 0;
	if (rq->map)
		rq->map->begin[i] = (uint16_t)begin;
	for (unsigned k = 0; k < PAYLOAD_MAX && !r; k++) {
		if (k < ps->n)
			r = payload(&s, &ps->v[k], rq);
		if (rq->map)
			rq->map->end[i][k] = (uint16_t)(begin + s.len);
	}
	if (!r && s.len > room)
		r = -ENOSPC;
	if (r)
		return r;
	memcpy(code, s.code, s.len);
	return (int)s.len;
}

static int append(const struct cold *a, taddr_t start, struct reloc *out, struct err *err)
{
	unsigned len = a->native->len - a->native->cold;
	int r = -ENOSPC;

	if (len <= RELOC_CODE_MAX - out->len)
		r = native_copy_cold(a->native, a->at, out->code + (a->at - start),
				     start + out->len, out->code + out->len);
	if (r < 0)
		return err_set(err, r, "there is too much to do there");
	out->len += (unsigned)r;
	return 0;
}

int trampoline_emit(const struct trampoline_request *rq, struct reloc *out, struct err *err)
{
	struct trampoline_request mine = *rq;
	struct cold_parts cold_parts = {0};
	int r;

	mine.moved.fill = fill;
	mine.moved.arg = &mine;
	mine.cold_parts = &cold_parts;
	r = reloc_window(&mine.moved, out, err);
	out->usual = out->len;
	for (unsigned i = 0; i < cold_parts.n; i++) {
		if (!r)
			r = append(&cold_parts.v[i], rq->moved.to, out, err);
		free(cold_parts.v[i].native);
	}
	return r;
}

bool trampoline_undo(const uint8_t *payload, unsigned at, bool keeps_flags_and_redzone,
		     unsigned *undo, bool *has_rax)
{
	unsigned first = keeps_flags_and_redzone ? SKIP_LEN : 0; /* push */

	*undo = keeps_flags_and_redzone ? NATIVE_RED_ZONE : 0;
	*has_rax = at == first + 1;
	if (at == first)
		return true;
	*undo += 8;
	return *has_rax &&
	       (payload[at] == PUSH_RCX || !memcmp(payload + at, look_down, sizeof(look_down)));
}

void trampoline_set_cell(uint8_t *payload, bool keeps_flags_and_redzone, uint32_t cell)
{
	unsigned saved = keeps_flags_and_redzone ? SKIP_LEN + SAVE_LEN : PUSH_LEN;

	memcpy(payload + saved + FIND_LEN, &cell, sizeof(cell));
}

int trampoline_jump(taddr_t from, taddr_t to, uint8_t code[JUMP_LEN])
{
	int64_t rel = (int64_t)(to - (from + JUMP_LEN));
	int32_t rel32 = (int32_t)rel;

	code[0] = 0xe9;
	memcpy(code + 1, &rel32, sizeof(rel32));
	return rel == rel32 ? 0 : -ERANGE;
}

int trampoline_short_jump(taddr_t from, taddr_t to, uint8_t code[SHORT_JUMP_LEN])
{
	int64_t rel = (int64_t)(to - (from + SHORT_JUMP_LEN));

	code[0] = 0xeb;
	code[1] = (uint8_t)rel;
	return rel == (int8_t)rel ? 0 : -ERANGE;
}
