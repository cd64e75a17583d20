/*
 * native_agg.c: the clock, the CPU, and aggregations, in native clauses. What is usual is done
 * here: the words of an aggregation lie at a fixed address, or in the entry that the first slot of
 * its keys names; the hook object is called for the rest (agg_proto.h).
 */
#include "inject/x86/native_code.h"

#include <cpuid.h>
#include <stddef.h>

#include "hook/hook_proto.h"

#define WORD 8
#define SIGN 8 /* jcc: the last result is negative */

_Static_assert(sizeof(struct hook_line) == 24 && HOOK_CLOCK_LINES == 4, "native_now() multiplies");
_Static_assert(sizeof(struct hook_wall) == 16, "native_wall() shifts");
_Static_assert(offsetof(struct hook_clock, walls[0].floor) < 128, "native_wall() has one byte");
_Static_assert(HOOK_HASH_SHIFT < 64, "hash() shifts");

/* The line first: then the time is not older than it, and the counter is read for the end. */
void native_now(struct native *n, taddr_t clock, unsigned local)
{
	native_set(n, RDX, clock);
	PUT(n, 0x8b, 0x4a, offsetof(struct hook_clock, which));	      /* mov which(%rdx), %ecx */
	PUT(n, 0x83, 0xe1, HOOK_CLOCK_LINES - 1);		      /* and */
	PUT(n, 0x48, 0x8d, 0x0c, 0x49);				      /* lea (%rcx,%rcx,2), %rcx */
	PUT(n, 0x48, 0x8d, 0x0c, 0xca);				      /* lea (%rdx,%rcx,8), %rcx */
	PUT(n, 0x0f, 0x31, 0x48, 0xc1, 0xe2, 0x20, 0x48, 0x09, 0xd0); /* rdtsc in rax */
	native_rm(n, 0x2b, RAX, RCX, offsetof(struct hook_clock, lines[0].tsc)); /* sub */
	PUT(n, 0x48, 0xc1, 0xe0, HOOK_CLOCK_SHIFT);				 /* shl */
	PUT(n, 0x48, 0xf7, 0x69, offsetof(struct hook_clock, lines[0].mult));	 /* imul */
	native_rm(n, 0x03, RDX, RCX, offsetof(struct hook_clock, lines[0].ns));	 /* add */
	native_local(n, 0x89, RDX, local);
}

void native_wall(struct native *n, taddr_t clock, unsigned time, unsigned local)
{
	native_set(n, RDX, clock);
	PUT(n, 0x8b, 0x4a, offsetof(struct hook_clock, which)); /* mov which(%rdx), %ecx */
	PUT(n, 0x83, 0xe1, HOOK_CLOCK_LINES - 1);		/* and */
	PUT(n, 0x48, 0xc1, 0xe1, 0x04);				/* shl $4, %rcx */
	PUT(n, 0x48, 0x01, 0xd1);				/* add %rdx, %rcx */
	native_local(n, 0x8b, RDX, time);
	native_rm(n, 0x03, RDX, RCX, offsetof(struct hook_clock, walls[0].offset)); /* add */
	native_rm(n, 0x3b, RDX, RCX, offsetof(struct hook_clock, walls[0].floor));  /* cmp */
	/* cmovb floor(%rcx), %rdx */
	PUT(n, 0x48, 0x0f, 0x42, 0x51, offsetof(struct hook_clock, walls[0].floor));
	native_local(n, 0x89, RDX, local);
}

/* As the hook object does it for records. */
void native_cpu(struct native *n, bool has_rdpid, unsigned local)
{
	if (has_rdpid) {
		PUT(n, 0xf3, 0x0f, 0xc7, 0xf9); /* rdpid %rcx */
	} else {
		native_set(n, RDX, HOOK_CPU_SEGMENT);
		PUT(n, 0x48, 0x0f, 0x03, 0xca); /* lsl %rdx, %rcx */
	}
	PUT(n, 0x81, 0xe1); /* and $.., %ecx */
	native_put32(n, HOOK_CPU_MASK);
	native_local(n, 0x89, RCX, local);
}

/* vtime_entry of entry.S says where it leaves what. */
unsigned native_vtime(struct native *n, taddr_t function, unsigned local)
{
	native_call(n, function);
	native_local(n, 0x89, RCX, local);
	n->in_rcx = local + 1;
	PUT(n, 0x85, 0xd2, 0x0f, 0x84); /* test %edx, %edx; je */
	return native_forward(n);
}

/* ---- aggregations ---- */

struct updating {
	struct native *n;
	const struct native_agg *what;
	unsigned words; /* from rdx on */
	unsigned rare[HOOK_KEYS_MAX + 4], nrare;
};

static void slow_path_if(struct updating *u, uint8_t cond)
{
	PUT(u->n, 0x0f, (uint8_t)(0x80 | cond));
	u->rare[u->nrare++] = native_forward(u->n);
}

/* rdx = the thread's table */
static void table_address(struct native *n)
{
	native_rm(n, 0x8b, RDX, BLOCK, (uint32_t)offsetof(struct hook_block, table));
}

/* stack_key_entry of entry.S says what it wants where. */
unsigned native_stack_key(struct native *n, taddr_t function, uint64_t what, unsigned local)
{
	native_rm(n, 0x8d, RDX, RSP, native_frame_words(n) * WORD); /* lea */
	native_set(n, RCX, what);
	native_call(n, function);
	PUT(n, 0x89, 0xc0); /* mov %eax, %eax */
	native_local(n, 0x89, RAX, local);
	n->in_rcx = 0;
	PUT(n, 0x85, 0xc0, 0x0f, 0x84); /* test %eax, %eax; je */
	return native_forward(n);
}

void native_add(struct native *n, uint64_t word, unsigned local)
{
	native_local(n, 0x8b, RCX, local);
	table_address(n);
	native_rm(n, 0x01, RCX, RDX, (uint32_t)word);
}

void native_load_word(struct native *n, unsigned d, taddr_t at, struct native_type type)
{
	uint8_t bits = (uint8_t)(64 - 8 * type.size);

	native_set(n, RDX, at);
	native_rm(n, 0x8b, RCX, RDX, 0);
	if (bits) {
		PUT(n, 0x48, 0xc1, 0xe1, bits); /* shl; sar or shr */
		PUT(n, 0x48, 0xc1, (uint8_t)(type.is_signed ? 0xf9 : 0xe9), bits);
	}
	native_give(n, d);
	n->in_rcx = 0;
}

void native_store_word(struct native *n, taddr_t at, unsigned a)
{
	native_fetch(n, RCX, a);
	native_set(n, RDX, at);
	native_rm(n, 0x89, RCX, RDX, 0);
	n->in_rcx = 0;
}

void native_add_word(struct native *n, taddr_t at, unsigned a, unsigned local)
{
	native_fetch(n, RCX, a);
	native_local(n, 0x2b, RCX, local);
	native_set(n, RDX, at);
	PUT(n, 0xf0); /* lock */
	native_rm(n, 0x01, RCX, RDX, 0);
	n->in_rcx = 0;
}

/* A local's value in rcx. */
static void load(struct native *n, unsigned local)
{
	if (n->in_rcx != local + 1)
		native_local(n, 0x8b, RCX, local);
	n->in_rcx = local + 1;
}

/* The number of its first slot in rcx, as hook_agg.c does it; a single key in rax. */
static void hash(const struct updating *u)
{
	const struct hook_agg *a = u->what->agg;
	struct native *n = u->n;

	if (!a->nkeys) {
		native_set(n, RCX, hook_hash(a->group, NULL, 0) & (HOOK_SLOTS - 1));
		n->in_rcx = 0;
		return;
	}
	load(n, u->what->keys);
	n->in_rcx = 0;
	if (a->nkeys == 1)
		native_rr(n, 0x89, RCX, RAX);
	native_set(n, RDX, HOOK_HASH_FACTOR);
	for (unsigned i = 0; i < a->nkeys; i++) {
		if (i)
			native_local(n, 0x33, RCX, u->what->keys + i); /* xor */
		PUT(n, 0x48, 0x0f, 0xaf, 0xca);			       /* imul %rdx, %rcx */
	}
	PUT(n, 0x48, 0xc1, 0xe9, HOOK_HASH_SHIFT); /* shr */
	if (a->group) {
		PUT(n, 0x81, 0xc1); /* add $.., %ecx */
		native_put32(n, a->group * HOOK_HASH_GROUP);
	}
	PUT(n, 0x81, 0xe1); /* and $.., %ecx */
	native_put32(n, HOOK_SLOTS - 1);
}

/* The entry in rdx, if it is what the first slot names. */
static void find(struct updating *u)
{
	const struct hook_agg *a = u->what->agg;
	uint32_t half = (uint32_t)u->what->table_words;
	struct native *n = u->n;

	hash(u);
	table_address(n);
	PUT(n, 0x8b, 0x8c, 0x8a); /* mov slots(%rdx,%rcx,4), %ecx */
	native_put32(n, half);
	native_rm(n, 0x3b, RCX, RDX, (uint32_t)offsetof(struct hook_table, room)); /* cmp */
	slow_path_if(u, NATIVE_ABOVE);						   /* nonsense */
	PUT(n, 0x48, 0x8d, 0x94, 0x0a); /* lea entries(%rdx,%rcx), %rdx */
	native_put32(n, half + HOOK_SLOTS_SIZE);
	PUT(n, 0x81, 0x3a); /* cmpl $.., (%rdx) */
	native_put32(n, a->group + 1);
	slow_path_if(u, NATIVE_NOT_EQUAL);
	for (unsigned i = 0; i < a->nkeys; i++) {
		if (a->nkeys > 1)
			native_local(n, 0x8b, RAX, u->what->keys + i);
		native_rm(n, 0x3b, RAX, RDX, (uint32_t)sizeof(struct hook_entry) + i * WORD);
		slow_path_if(u, NATIVE_NOT_EQUAL);
	}
	u->words = (unsigned)sizeof(struct hook_entry) + a->nkeys * WORD;
}

static void increment(struct updating *u)
{
	native_rm(u->n, 0xff, 0, RDX, u->words); /* incq */
}

static void add_sum(struct updating *u)
{
	load(u->n, u->what->value);
	native_rm(u->n, 0x01, RCX, RDX, u->words + WORD);
	increment(u);
}

/* A new extreme is rare. */
static void check_extreme(struct updating *u)
{
	load(u->n, u->what->value);
	if (u->what->agg->func == HOOK_AGG_MIN)
		PUT(u->n, 0x48, 0xf7, 0xd1);		  /* not %rcx */
	PUT(u->n, 0x48, 0x0f, 0xba, 0xf9, 0x3f);	  /* btc $63, %rcx: see HOOK_AGG_MIN */
	native_rm(u->n, 0x3b, RCX, RDX, u->words + WORD); /* cmp */
	slow_path_if(u, NATIVE_ABOVE);
	increment(u);
}

/* CPUID: AMD64 APM 3, Fn8000_0001 ECX. Without it the same bytes are bsr, which is slow on AMD. */
static bool has_lzcnt(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c & bit_LZCNT);
}

/* Of what is not negative, bit 0 of 2v + 1 stands for zero, and the highest one for the bucket. */
static void add_to_bucket(struct updating *u)
{
	struct native *n = u->n;
	unsigned first = HOOK_QUANTIZE_MID;

	load(n, u->what->value);
	native_rr(n, 0x85, RCX, RCX); /* test */
	slow_path_if(u, SIGN);
	PUT(n, 0x48, 0x8d, 0x4c, 0x09, 0x01); /* lea 1(%rcx,%rcx), %rcx */
	if (has_lzcnt()) {
		PUT(n, 0xf3, 0x48, 0x0f, 0xbd, 0xc9, 0x48, 0xf7, 0xd9); /* lzcnt; neg %rcx */
		first += 63;
	} else {
		PUT(n, 0x48, 0x0f, 0xbd, 0xc9); /* bsr %rcx, %rcx */
	}
	PUT(n, 0x48, 0xff, 0x84, 0xca); /* incq words(%rdx,%rcx,8) */
	native_put32(n, u->words + first * WORD);
}

/* What stands here of a function; NULL: it is called. */
static void (*const updates[HOOK_NAGGFUNCS])(struct updating *) = {
	[HOOK_AGG_COUNT] = increment,	[HOOK_AGG_SUM] = add_sum,
	[HOOK_AGG_AVG] = add_sum,	[HOOK_AGG_MIN] = check_extreme,
	[HOOK_AGG_MAX] = check_extreme, [HOOK_AGG_QUANTIZE] = add_to_bucket,
};

/* aggregate_entry of entry.S says what it wants where. */
static void call_aggregate(struct native *n, const struct native_agg *what)
{
	native_set(n, RAX, what->there);
	if (what->agg->nkeys) {
		n->needs.locals = MAX(n->needs.locals, what->keys + what->agg->nkeys);
		native_local(n, 0x8d, RDX, what->keys); /* lea */
	}
	if (what->agg->func != HOOK_AGG_COUNT)
		native_local(n, 0x8b, RCX, what->value);
	native_call(n, what->function);
}

void native_aggregate(struct native *n, const struct native_agg *what)
{
	struct updating u = {.n = n, .what = what};
	unsigned done;

	if (!updates[what->agg->func]) {
		call_aggregate(n, what);
		return;
	}
	if (what->agg->words) {
		table_address(n);
		u.words = (unsigned)what->agg->words;
	} else {
		find(&u);
	}
	updates[what->agg->func](&u);
	n->in_rcx = 0;
	if (!u.nrare)
		return;
	PUT(n, 0xe9);
	done = native_forward(n);
	for (unsigned i = 0; i < u.nrare; i++)
		native_here(n, u.rare[i]);
	call_aggregate(n, what);
	native_here(n, done);
}
