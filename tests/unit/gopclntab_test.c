/* The table of Go's functions, in each of its formats, whole and damaged. */
#include "symbols/gopclntab.h"

#include <stdlib.h>

#include "tests/unit/test.h"

#define TEXT 0x401000

/* A table of two functions, of 0x20 and 0x10 bytes, in a.go: lines 3 and 5, and line 9. */
struct made {
	uint8_t bytes[1024];
	size_t n;
};

static void put(struct made *m, size_t at, uint64_t v, unsigned size)
{
	memcpy(m->bytes + at, &v, size);
	m->n = MAX(m->n, at + size);
}

static void put_text(struct made *m, size_t at, const void *text, size_t n)
{
	memcpy(m->bytes + at, text, n);
	m->n = MAX(m->n, at + n);
}

static const struct {
	unsigned version;
	uint32_t magic;
} formats[] = {{2, 0xfffffffb}, {16, 0xfffffffa}, {18, 0xfffffff0}, {20, 0xfffffff1}};

enum { NAMES = 128, CUS = 160, FILES = 176, PCS = 192, FUNCS = 256 };

/* One function's description, at an offset from the parts it counts from. */
static void put_function(struct made *m, unsigned version, size_t at, uint64_t entry, uint32_t name,
			 uint32_t file, uint32_t line)
{
	unsigned size = version >= 18 ? 4 : 8;
	uint32_t words[8] = {name, 0, 0, 0, file, line, 0, 0};

	put(m, at, entry, size);
	put_text(m, at + size, words, sizeof(words));
}

static struct made make(unsigned f)
{
	static const uint8_t pcs[] = {0,
				      /* file 0 (1 in 1.2) throughout */ 2,
				      0x40,
				      0,
				      /* line 3 for 0x10, then 5 */ 8,
				      0x10,
				      4,
				      0x10,
				      0,
				      /* line 9 */ 20,
				      0x10,
				      0};
	unsigned version = formats[f].version, size = version >= 18 ? 4 : 8;
	uint64_t start = version >= 18 ? 0 : TEXT;
	size_t base = version == 2 ? 0 : FUNCS, table = version == 2 ? 16 : FUNCS;
	uint32_t names = version == 2 ? NAMES : 0, pc = version == 2 ? PCS : 0;
	struct made m = {.n = 8};

	put(&m, 0, formats[f].magic, 4);
	m.bytes[6] = 1;
	m.bytes[7] = 8;
	put(&m, 8, 2, 8);
	if (version >= 16) {
		const uint64_t parts[] = {NAMES, CUS, FILES, PCS, FUNCS};

		put(&m, 16, 1, 8);
		if (version >= 18)
			put(&m, 24, TEXT, 8);
		put_text(&m, version >= 18 ? 32 : 24, parts, sizeof(parts));
	}
	put_text(&m, NAMES, "main.(*P).Dist\0main.main", 25);
	put(&m, CUS, 0, 4);
	put_text(&m, FILES, "a.go", 5);
	put_text(&m, PCS, pcs, sizeof(pcs));
	if (version == 2)
		m.bytes[PCS + 1] = 4; /* files are counted from 1 */
	/* three entries: two functions, and where the second ends */
	put(&m, table, start, size);
	put(&m, table + size, 320 - base, size);
	put(&m, table + 2 * size, start + 0x20, size);
	put(&m, table + 3 * size, 400 - base, size);
	put(&m, table + 4 * size, start + 0x30, size);
	if (version == 2) {
		put(&m, table + 5 * size, 480, 4);
		put(&m, 480 + 4, FILES, 4);
	}
	put_function(&m, version, 320, start, names, pc + 1, pc + 4);
	put_function(&m, version, 400, start + 0x20, names + 15, pc + 1, pc + 9);
	return m;
}

TEST(functions_of_each_format)
{
	for (unsigned i = 0; i < ARRAY_SIZE(formats); i++) {
		struct made m = make(i);
		struct gopclntab t;
		struct gofunc f;

		CHECK(gopclntab_open(&t, m.bytes, m.n, 0));
		CHECK_EQ(t.version, formats[i].version);
		CHECK_EQ(t.nfuncs, 2);
		CHECK(gopclntab_func(&t, 0, &f));
		CHECK_STR(f.name, "main.(*P).Dist");
		CHECK_EQ(f.start, TEXT);
		CHECK_EQ(f.end, TEXT + 0x20);
		CHECK(gopclntab_func(&t, 1, &f));
		CHECK_STR(f.name, "main.main");
		CHECK_EQ(f.end, TEXT + 0x30);
		CHECK(!gopclntab_func(&t, 2, &f));
	}
}

static unsigned line_at(const struct gopclntab *t, unsigned func, taddr_t pc)
{
	struct gofunc f;
	const char *file;
	unsigned line;

	if (!gopclntab_func(t, func, &f) || !gopclntab_line(t, &f, pc, &file, &line))
		return 0;
	CHECK_STR(file, "a.go");
	return line;
}

TEST(lines_of_each_format)
{
	for (unsigned i = 0; i < ARRAY_SIZE(formats); i++) {
		struct made m = make(i);
		struct gopclntab t;

		CHECK(gopclntab_open(&t, m.bytes, m.n, 0));
		CHECK_EQ(line_at(&t, 0, TEXT), 3);
		CHECK_EQ(line_at(&t, 0, TEXT + 0xf), 3);
		CHECK_EQ(line_at(&t, 0, TEXT + 0x10), 5);
		CHECK_EQ(line_at(&t, 1, TEXT + 0x2f), 9);
		CHECK_EQ(line_at(&t, 1, TEXT + 0x30), 0);
	}
}

/* A loader fills in where the text is. */
TEST(a_place_that_the_loader_fills_in)
{
	struct made m = make(2);
	struct gopclntab t;
	struct gofunc f;

	put(&m, 24, 0, 8);
	CHECK(gopclntab_open(&t, m.bytes, m.n, 0x5000));
	CHECK(gopclntab_func(&t, 1, &f));
	CHECK_EQ(f.start, 0x5020);
}

static void use(const uint8_t *bytes, size_t n)
{
	uint8_t *copy = malloc(n + 1); /* its end is where a sanitizer looks */
	struct gopclntab t;
	struct gofunc f;

	memcpy(copy, bytes, n);
	copy[n] = '\0';
	if (gopclntab_open(&t, copy, n, TEXT))
		for (uint64_t i = 0; i < t.nfuncs; i++) {
			const char *file;
			unsigned line;

			if (gopclntab_func(&t, i, &f) && strlen(f.name) &&
			    gopclntab_line(&t, &f, f.start, &file, &line))
				CHECK(strlen(file) > 0);
		}
	free(copy);
}

TEST(damage_is_survived)
{
	for (unsigned i = 0; i < ARRAY_SIZE(formats); i++) {
		struct made m = make(i);

		for (size_t n = 0; n < m.n; n++) {
			use(m.bytes, n);
			m.bytes[n] ^= 0xff;
			use(m.bytes, m.n);
			m.bytes[n] ^= 0xff;
		}
	}
}

TEST(what_is_none)
{
	struct made m = make(3);
	struct gopclntab t;

	CHECK(!gopclntab_open(&t, "", 0, 0));
	CHECK(!gopclntab_open(&t, m.bytes, 20, 0));
	m.bytes[7] = 4; /* of 32 bits */
	CHECK(!gopclntab_open(&t, m.bytes, m.n, 0));
	m = make(3);
	put(&m, 8, (uint64_t)1 << 40, 8); /* more functions than there is room */
	CHECK(!gopclntab_open(&t, m.bytes, m.n, 0));
	m = make(3);
	put(&m, 0, 0xfffffff5, 4);
	CHECK(!gopclntab_open(&t, m.bytes, m.n, 0));
}

TEST_MAIN();
