/* Aggregations of pieces, run on the CPU, and what the hook object's own function makes of the same
 * values: the same words, wherever they are. */
#include "inject/x86/native.h"

#include <cpuid.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "hook/hook_proto.h"
#include "inject/hookobj.h"
#include "tests/unit/test.h"

#define WORD	   0x278 /* of the control block that glibc leaves alone */
#define BLOCKS	   0x550000000000UL
#define BLOCK_SIZE 16384ULL
#define TABLE_SIZE (512U << 10)
#define VALUE	   HOOK_KEYS_MAX

/* A copy of the hook object, behind it descriptions, and the piece; block 1's table is filled by
 * pieces, block 2's by calls alone. */
static uint8_t *code, *piece;
static uint64_t *blocks;
static struct hook_agg *aggs;
static char *tables;
static struct native n;

static taddr_t address(const void *p)
{
	return (taddr_t)(uintptr_t)p;
}

static taddr_t aggregate_entry(void)
{
	return address(code) + ((struct hook_object *)code)->functions[HOOK_FN_AGGREGATE];
}

static void set_up(void)
{
	if (!code) {
		code = mmap(NULL, 65536, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		CHECK(code != MAP_FAILED);
		memcpy(code, hookobj_bytes, HOOKOBJ_SIZE);
		aggs = (void *)(code + 32768);
		piece = code + 49152;
		blocks = mmap((void *)BLOCKS, 3 * BLOCK_SIZE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		CHECK(blocks != MAP_FAILED);
	}
	if (tables)
		munmap(tables, 3 * TABLE_SIZE);
	tables = mmap(NULL, 3 * TABLE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	CHECK(tables != MAP_FAILED);
	((struct hook_object *)code)->where =
		(struct hook_where){.blocks = BLOCKS, .word = WORD, .table_words = TABLE_SIZE / 2};
	for (unsigned i = 1; i < 3; i++) {
		((struct hook_block *)(void *)(blocks + i * BLOCK_SIZE / 8))->table =
			address(tables + i * TABLE_SIZE);
		((struct hook_table *)(void *)(tables + i * TABLE_SIZE))->room =
			TABLE_SIZE / 2 - HOOK_ENTRIES;
	}
}

static void run_as(uint64_t block)
{
	int len = native_end(&n);

	CHECK(len > 0);
	piece[0] = 0x50; /* push %rax */
	CHECK(native_copy(&n, address(piece + 1), piece + 1) > 0);
	memcpy(piece + 1 + len, (const uint8_t[]){0x58, 0xc3}, 2); /* pop %rax; ret */
	__asm__ volatile("mov %0, %%fs:%c1" : : "r"(BLOCKS + block * BLOCK_SIZE), "i"(WORD));
	__asm__ volatile("lea -128(%%rsp), %%rsp\n\tcall *%0\n\tlea 128(%%rsp), %%rsp"
			 :
			 : "r"(piece)
			 : "rax", "memory", "cc");
	__asm__ volatile("mov %0, %%fs:%c1" : : "r"(0UL), "i"(WORD));
}

static void begin(void)
{
	const struct native_context context = {.word = WORD, .frame = NATIVE_ANY_FRAME};

	native_begin(&n, &context);
}

static void give(unsigned local, uint64_t value)
{
	native_expr(&n);
	native_constant(&n, 1, value);
	native_return(&n, 1, true);
	native_keep(&n, local);
}

static void add_by_piece(const struct hook_agg *a, const uint64_t *keys, uint64_t value)
{
	const struct native_agg what = {.agg = a,
					.there = address(a),
					.function = aggregate_entry(),
					.table_words = TABLE_SIZE / 2,
					.value = VALUE};

	begin();
	for (unsigned i = 0; i < a->nkeys; i++)
		give(i, keys[i]);
	give(VALUE, value);
	native_aggregate(&n, &what);
	run_as(1);
}

/* As a piece calls it. */
static void add_by_call(const struct hook_agg *a, const uint64_t *keys, uint64_t value)
{
	taddr_t fn = aggregate_entry();

	__asm__ volatile("mov %0, %%fs:%c1" : : "r"(BLOCKS + 2 * BLOCK_SIZE), "i"(WORD));
	__asm__ volatile("lea -128(%%rsp), %%rsp\n\tcall *%4\n\tlea 128(%%rsp), %%rsp"
			 : "+c"(value), "+d"(keys), "+a"(a)
			 : "0"(value), "r"(fn)
			 : "memory", "cc");
	__asm__ volatile("mov %0, %%fs:%c1" : : "r"(0UL), "i"(WORD));
}

static const char *table(unsigned block)
{
	return tables + block * TABLE_SIZE;
}

static uint64_t any(void)
{
	uint64_t v = (uint64_t)random() << 33 ^ (uint64_t)random() << 11 ^ (uint64_t)random();
	static const uint64_t edges[] = {0, 1, 2, UINT64_MAX, INT64_MAX, (uint64_t)INT64_MIN};

	switch (random() % 4) {
	case 0:
		return edges[random() % 6];
	case 1:
		return v & 0xff;
	case 2:
		return -(v & 0xff);
	default:
		return v >> random() % 64;
	}
}

static unsigned words_of(enum hook_aggfunc func)
{
	static const unsigned words[HOOK_NAGGFUNCS] = {
		1, 2, 2, 2, 2, 4, 127, 12, 1 + 2 * (4 * 18 + 1)};

	return words[func];
}

static void compare(unsigned round)
{
	for (uint64_t i = 0; i < TABLE_SIZE / 8; i++)
		if (((const uint64_t *)table(1))[i] != ((const uint64_t *)table(2))[i]) {
			CHECK_EQ(round, i);
			break;
		}
}

TEST(pieces_and_the_hook_object_keep_the_same)
{
	for (unsigned func = 0; func < HOOK_NAGGFUNCS; func++)
		for (unsigned nkeys = 0; nkeys <= HOOK_KEYS_MAX; nkeys++) {
			set_up();
			for (unsigned g = 0; g < 3; g++)
				aggs[g] = (struct hook_agg){.func = func,
							    .group = g,
							    .nkeys = nkeys,
							    .nwords = words_of(func),
							    .params = {-20, 50, 7}};
			for (unsigned g = 0; g < 3 && func == HOOK_AGG_LLQUANTIZE; g++)
				memcpy(aggs[g].params, (const int64_t[]){10, 1, 4, 20},
				       sizeof(aggs[g].params));
			if (!nkeys)
				aggs[1].words = 64; /* the others are in entries all the same */
			for (unsigned round = 0; round < 300; round++) {
				const struct hook_agg *a = &aggs[random() % 3];
				uint64_t keys[HOOK_KEYS_MAX], value = any();

				for (unsigned i = 0; i < nkeys; i++)
					keys[i] = (uint64_t)random() % 3;
				add_by_piece(a, keys, value);
				add_by_call(a, keys, value);
			}
			compare(func * 10 + nkeys);
		}
}

/* Slots that lead nowhere, or to what is no entry: the program has written there. */
TEST(nonsense_in_a_table_is_not_followed)
{
	static const uint64_t keys[1] = {5};
	static const uint32_t nonsense[] = {1, 77, 8191, 8192, 8193, 1u << 31, UINT32_MAX};

	for (unsigned i = 0; i < ARRAY_SIZE(nonsense); i++) {
		uint32_t *slots;

		set_up();
		slots = (uint32_t *)(void *)(tables + TABLE_SIZE + TABLE_SIZE / 2);
		aggs[0] = (struct hook_agg){.nkeys = 1, .nwords = 1};
		for (unsigned k = 0; k < HOOK_SLOTS; k++)
			slots[k] = nonsense[i];
		add_by_piece(&aggs[0], keys, 1);
		CHECK_EQ(((const struct hook_table *)(const void *)table(1))->drops, 1);
	}
}

/* Both instructions tell of the CPU that we are kept on. */
TEST(the_number_of_the_cpu)
{
	cpu_set_t before, one;
	unsigned a, b, c = 0, d;
	bool has_rdpid = __get_cpuid_count(7, 0, &a, &b, &c, &d) && (c & bit_RDPID);

	set_up();
	CHECK(!sched_getaffinity(0, sizeof(before), &before));
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &before))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		CHECK(!sched_setaffinity(0, sizeof(one), &one));
		for (int way = 0; way <= has_rdpid; way++) {
			begin();
			native_cpu(&n, way, 3);
			native_expr(&n);
			native_load_local(&n, 2, 3);
			native_store_block(&n, 4096, 2, (struct native_type){8, false});
			native_return(&n, 2, true);
			native_keep(&n, 0);
			run_as(1);
			CHECK_EQ(blocks[(BLOCK_SIZE + 4096) / 8], cpu);
		}
	}
	CHECK(!sched_setaffinity(0, sizeof(before), &before));
}

TEST(the_clock_is_a_line_through_the_counter)
{
	static struct hook_clock clock = {.which = 6};
	uint64_t now = __builtin_ia32_rdtsc(), last = 0;
	uint64_t *word;

	set_up();
	word = blocks + (BLOCK_SIZE + 4096) / 8;
	for (unsigned i = 0; i < 100; i++) { /* a counter of 2 GHz; set ahead of us, too */
		clock.lines[2] = (struct hook_line){now + 1000000000000, 7000000000000, 1ULL << 59};
		begin();
		native_now(&n, address(&clock), 3);
		native_expr(&n);
		native_load_local(&n, 2, 3);
		native_store_block(&n, 4096, 2, (struct native_type){8, false});
		native_return(&n, 2, true);
		native_keep(&n, 0);
		run_as(1);
		CHECK(*word >= 6500000000000);
		CHECK(*word < 6600000000000);
		CHECK(*word >= last);
		last = *word;
	}
}

TEST(the_real_time_is_the_clock_and_an_offset_and_not_before_its_floor)
{
	static struct hook_clock clock = {.which = 7};
	const struct {
		uint64_t time;
		int64_t offset;
		uint64_t floor, want;
	} rows[] = {
		{1000, 0, 0, 1000},
		{1000, 1700000000000000000, 0, 1700000000000001000},
		{1000, 1700000000000000000, 1700000000000001001, 1700000000000001001},
		{1002, 1700000000000000000, 1700000000000001001, 1700000000000001002},
		{1000, -999, 0, 1},
	};
	uint64_t *word;

	set_up();
	word = blocks + (BLOCK_SIZE + 4096) / 8;
	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		clock.walls[3] = (struct hook_wall){rows[i].offset, rows[i].floor};
		begin();
		native_expr(&n);
		native_constant(&n, 2, rows[i].time);
		native_return(&n, 2, true);
		native_keep(&n, 4);
		native_wall(&n, address(&clock), 4, 3);
		native_expr(&n);
		native_load_local(&n, 2, 3);
		native_store_block(&n, 4096, 2, (struct native_type){8, false});
		native_return(&n, 2, true);
		native_keep(&n, 0);
		run_as(1);
		CHECK_EQ(*word, rows[i].want);
	}
}

/* ---- words of all threads ---- */

TEST(a_word_is_stored_loaded_and_added_to)
{
	static const struct native_type types[] = {{1, true}, {2, false}, {4, true}, {8, false}};
	static const uint64_t values[] = {0, 1, 0xff, 0x7fff, 0x80000000, UINT64_MAX, 1ULL << 63};
	static uint64_t word;
	uint64_t *seen;

	set_up();
	seen = blocks + (BLOCK_SIZE + 4096) / 8;
	for (unsigned i = 0; i < ARRAY_SIZE(types) * ARRAY_SIZE(values); i++) {
		const struct native_type type = types[i % ARRAY_SIZE(types)];
		uint64_t value = values[i / ARRAY_SIZE(types)], cut;
		unsigned bits = 64 - 8 * type.size;

		cut = type.is_signed ? (uint64_t)((int64_t)(value << bits) >> bits)
				     : value << bits >> bits;
		begin();
		give(3, 5);
		native_expr(&n);
		native_constant(&n, 2, value);
		native_constant(&n, 4, 12);
		native_store_word(&n, address(&word), 2);
		native_load_word(&n, 5, address(&word), type);
		native_store_block(&n, 4096, 5, (struct native_type){8, false});
		native_add_word(&n, address(&word), 4, 3); /* 12 - 5 */
		native_store_block(&n, 4104, 2, (struct native_type){8, false});
		native_return(&n, 5, true);
		native_keep(&n, 0);
		run_as(1);
		CHECK_EQ(seen[0], cut);
		CHECK_EQ(seen[1], value);
		CHECK_EQ(word, value + 7);
	}
}

/* ---- memory ---- */

static struct hook_shared shared;

#define ROOMS_AT  64
#define ROOM	  120 /* words */
#define ANSWER	  4096
#define NOT_THERE 0x123456789abcdefULL

#define WORDS 3 /* locals */

/* What is read there; NOT_THERE: nothing is. at: the first words of texts. */
static uint64_t read_by(struct native_read *r, const void *const at[2])
{
	const struct native_type word = {8, false};
	unsigned without, done;

	r->function = address(code) + ((struct hook_object *)code)->functions[HOOK_FN_READ];
	r->what.rooms = HOOK_ROOMS_AT(ROOMS_AT, ROOM);
	shared = (struct hook_shared){.pid = (uint32_t)getpid(), .may_call = 1};
	((struct hook_object *)code)->where.shared = address(&shared);
	begin();
	native_expr(&n);
	native_constant(&n, 1, 11);
	native_constant(&n, 6, address(at[1]));
	native_constant(&n, 7, address(at[0]));
	native_store_local(&n, WORDS, 7, word);
	native_store_local(&n, WORDS + 1, 6, word);
	r->words = WORDS;
	r->nwords = 2;
	without = native_read(&n, r, 3, 7);
	native_store_block(&n, ANSWER, 3, word);
	done = native_go(&n);
	native_here(&n, without);
	native_constant(&n, 2, NOT_THERE);
	native_store_block(&n, ANSWER, 2, word);
	native_here(&n, done);
	native_store_block(&n, ANSWER + 8, 1, word);
	run_as(1);
	CHECK_EQ(blocks[(BLOCK_SIZE + ANSWER) / 8 + 1], 11); /* other registers are kept */
	CHECK_EQ(*(const uint64_t *)(const void *)(table(1) + ROOMS_AT), 0); /* so is the room */
	return blocks[(BLOCK_SIZE + ANSWER) / 8];
}

static void add(struct native_texts *t, const struct hook_text_step *step, const char *known)
{
	t->known[t->n] = known;
	t->steps[t->n++] = *step;
}

static struct hook_text_step at_word(unsigned op, unsigned nth, unsigned size)
{
	return (struct hook_text_step){.op = (uint16_t)op, .nth = (uint16_t)nth, .size = size};
}

static uint64_t read_number(unsigned size, const void *at)
{
	struct native_read r = {.what = {.op = HOOK_READ_VALUE, .size = size}};

	return read_by(&r, (const void *const[]){at, NULL});
}

static bool has_bytes(unsigned size, const void *at)
{
	struct native_read r = {.what = {.op = HOOK_READ_BYTES, .size = size}};

	return read_by(&r, (const void *const[]){at, NULL}) != NOT_THERE;
}

/* Of a text in memory, and (text) one that is known. */
static uint64_t read_as_piece(enum hook_read_op op, unsigned size, const void *at, const char *text)
{
	struct native_texts t = {.n = 0};
	struct native_read r = {
		.what = {.op = (uint16_t)op, .param = op == HOOK_READ_RINDEX ? 99 : 0},
		.texts = &t};
	struct hook_text_step step = at_word(HOOK_TEXT_AT, 0, size);

	add(&t, &step, NULL);
	step = at_word(HOOK_TEXT_KNOWN, 0, text ? (unsigned)strlen(text) : 0);
	if (text)
		add(&t, &step, text);
	return read_by(&r, (const void *const[]){at, NULL});
}

/* Both lie in memory: at, of enum hook_text_op: how they are read. */
static uint64_t read_both(enum hook_read_op op, enum hook_text_op at, const char *a, const char *b)
{
	const struct hook_text_step first = at_word(at, 0, 99), second = at_word(at, 1, 60);
	struct native_texts t = {.n = 0};
	struct native_read r = {.what = {.op = (uint16_t)op}, .texts = &t};

	add(&t, &first, NULL);
	add(&t, &second, NULL);
	return read_by(&r, (const void *const[]){a, b});
}

TEST(numbers_are_read_where_they_are)
{
	static const uint64_t far = 0xfedcba9876543210;
	volatile uint64_t near = far;

	set_up();
	for (unsigned size = 1; size <= 8; size *= 2) {
		uint64_t want = size == 8 ? far : far & ((1ULL << 8 * size) - 1);

		CHECK_EQ(read_number(size, &far), want);
		CHECK_EQ(read_number(size, (const void *)&near), want);
	}
	CHECK_EQ(read_number(4, NULL), NOT_THERE);
	CHECK_EQ(read_number(8, (const void *)(1UL << 63)), NOT_THERE);
}

static uint64_t index_of(const char *s, const char *part)
{
	const char *at = strstr(s, part);

	return at ? (uint64_t)(at - s) : UINT64_MAX;
}

TEST(texts_are_ordered_measured_and_searched)
{
	static const char *const all[] = {"",	     "a",	 "ab",
					  "abc",     "b",	 "\xff",
					  "seven77", "eight888", "a text of more than two words"};

	set_up();
	for (unsigned i = 0; i < ARRAY_SIZE(all); i++) {
		CHECK_EQ(read_as_piece(HOOK_READ_LENGTH, 99, all[i], NULL), strlen(all[i]));
		for (unsigned k = 0; k < ARRAY_SIZE(all); k++) {
			int order = strcmp(all[i], all[k]);

			CHECK_EQ(read_as_piece(HOOK_READ_ORDER, 99, all[i], all[k]), order < 0 ? 1
										     : order   ? 3
											       : 2);
			CHECK_EQ(read_both(HOOK_READ_ORDER, HOOK_TEXT_AT, all[i], all[k]),
				 order < 0 ? 1
				 : order   ? 3
					   : 2);
			CHECK_EQ(read_as_piece(HOOK_READ_INDEX, 99, all[i], all[k]),
				 index_of(all[i], all[k]));
			CHECK_EQ(read_both(HOOK_READ_INDEX, HOOK_TEXT_AT, all[i], all[k]),
				 index_of(all[i], all[k]));
		}
	}
	CHECK_EQ(read_as_piece(HOOK_READ_LENGTH, 3, "abcdef", NULL), 3); /* it is cut */
	CHECK_EQ(read_as_piece(HOOK_READ_LENGTH, 0, "abcdef", NULL), 0);
	CHECK_EQ(read_as_piece(HOOK_READ_ORDER, 3, "abcdef", "abc"), 2);
}

/* What comes first and last, and of NULL, which is read no further. */
TEST(texts_are_searched_for_others_in_memory)
{
	set_up();
	CHECK_EQ(read_as_piece(HOOK_READ_INDEX, 99, "abcabc", "bc"), 1);
	CHECK_EQ(read_as_piece(HOOK_READ_RINDEX, 99, "abcabc", "bc"), 4);
	CHECK_EQ(read_as_piece(HOOK_READ_RINDEX, 99, "abcabc", ""), 6);
	CHECK_EQ(read_as_piece(HOOK_READ_RINDEX, 99, "abcabc", "x"), UINT64_MAX);
	CHECK_EQ(read_both(HOOK_READ_ORDER, HOOK_TEXT_AT, NULL, "a"), NOT_THERE);
	CHECK_EQ(read_both(HOOK_READ_ORDER, HOOK_TEXT_AT, "a", NULL), NOT_THERE);
	CHECK_EQ(read_both(HOOK_READ_ORDER, HOOK_TEXT_PLAIN, NULL, "a"), 1);
	CHECK_EQ(read_both(HOOK_READ_ORDER, HOOK_TEXT_PLAIN, "a", NULL), 3);
	CHECK_EQ(read_both(HOOK_READ_ORDER, HOOK_TEXT_PLAIN, NULL, (const char *)1), 1);
	CHECK_EQ(read_both(HOOK_READ_ORDER, HOOK_TEXT_PLAIN, NULL, NULL), 2);
}

/* As subr_substr() does it. */
TEST(texts_are_cut)
{
	static const struct {
		int32_t start, count;
		const char *left;
	} rows[] = {{0, 3, "abc"},
		    {2, HOOK_TEXT_ALL, "cdef"},
		    {-2, HOOK_TEXT_ALL, "ef"},
		    {-4, 2, "cd"},
		    {1, -2, "bcd"},
		    {9, 1, ""},
		    {-9, 5, "ab"},
		    {5, -3, ""},
		    {INT32_MIN, INT32_MIN, ""},
		    {0, INT32_MIN, ""},
		    {INT32_MAX, 1, ""},
		    {-9, HOOK_TEXT_ALL, "abcdef"}};

	set_up();
	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct hook_text_step whole = at_word(HOOK_TEXT_AT, 0, 99);
		const struct hook_text_step part = {
			.op = HOOK_TEXT_SUBSTR, .start = rows[i].start, .count = rows[i].count};
		struct native_texts t = {.n = 0};
		struct native_read r = {.what = {.op = HOOK_READ_KEY}, .texts = &t};

		add(&t, &whole, NULL);
		add(&t, &part, NULL);
		CHECK_EQ(read_by(&r, (const void *const[]){"abcdef", NULL}),
			 read_as_piece(HOOK_READ_KEY, 99, rows[i].left, NULL));
	}
}

/* The same text has the same number, wherever it lies; what is behind its end does not matter. */
TEST(texts_have_numbers)
{
	char near[] = "some text\0xyz", other[] = "some texT\0xyz";
	static char far[] = "some text\0abc";
	uint64_t first, more;

	set_up();
	first = read_as_piece(HOOK_READ_KEY, 99, near, NULL);
	CHECK(first & HOOK_TEXT_KEY);
	CHECK_EQ(read_as_piece(HOOK_READ_KEY, 99, far, NULL), first);
	CHECK(read_as_piece(HOOK_READ_KEY, 99, other, NULL) != first);
	CHECK(read_as_piece(HOOK_READ_KEY, 8, far, NULL) != first);
	more = read_as_piece(HOOK_READ_KEY, 8, "some tex", NULL);
	CHECK_EQ(read_as_piece(HOOK_READ_KEY, 8, far, NULL), more);
	((struct hook_table *)(void *)(tables + TABLE_SIZE))->room = 0;
	CHECK_EQ(read_as_piece(HOOK_READ_KEY, 99, "without room", NULL), 0);
	CHECK_EQ(((const struct hook_table *)(const void *)table(1))->drops, 1);
}

TEST(what_is_not_there_is_no_text)
{
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct native_texts t = {.steps = {{.op = HOOK_TEXT_WHOLE}}, .n = 1};
	struct native_read r = {.what = {.op = HOOK_READ_LENGTH}, .texts = &t};

	set_up();
	CHECK(page != MAP_FAILED && !mprotect(page + 4096, 4096, PROT_NONE));
	memset(page, 'x', 4096);
	CHECK_EQ(read_as_piece(HOOK_READ_LENGTH, 99, page + 4090, NULL), NOT_THERE);
	CHECK_EQ(read_as_piece(HOOK_READ_LENGTH, 6, page + 4090, NULL), 6);
	CHECK_EQ(read_number(8, page + 4090), NOT_THERE);
	CHECK(has_bytes(6, page + 4090));
	CHECK(!has_bytes(7, page + 4090));
	page[4095] = '\0';
	CHECK_EQ(read_as_piece(HOOK_READ_LENGTH, 99, page + 4090, NULL), 5);
	CHECK_EQ(read_as_piece(HOOK_READ_ORDER, 99, NULL, "a"), NOT_THERE);
	t.steps[0].size = 6; /* all of it */
	CHECK_EQ(read_by(&r, (const void *const[]){page + 4090, NULL}), 5);
	t.steps[0].size = 7;
	CHECK_EQ(read_by(&r, (const void *const[]){page + 4090, NULL}), NOT_THERE);
	CHECK(!munmap(page, 8192));
}

TEST_MAIN();
