#include "symbols/dwarf/dwarf.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

#include "tests/unit/test.h"

/* This program's own debug information is read: the compiler is the judge. */

enum fruit { APPLE, PEAR = -7, PLUM = 100 };

struct list;
typedef struct {
	short x, y;
} spot;

struct all {
	char c;
	struct list *next;
	unsigned int low : 3, high : 7;
	long long wide : 40;
	spot spots[3];
	int grid[2][5];
	union {
		double real;
		unsigned char raw[8];
	};
	enum fruit fruit;
	int (*call)(const char *, int);
	struct all *self;
	char tail[];
};

struct __attribute__((packed)) tight {
	char c;
	int i;
	unsigned bits : 30, more : 20;
};

struct list {
	struct all all;
	struct list *next;
};

extern struct all dwarf_test_all;
struct all dwarf_test_all = {.fruit = PLUM};
extern struct tight dwarf_test_tight;
struct tight dwarf_test_tight;
extern struct list dwarf_test_list;
struct list dwarf_test_list;
extern int dwarf_test_function(struct list *, unsigned char, const spot *, ...);

__attribute__((noinline)) int dwarf_test_function(struct list *list, unsigned char n,
						  const spot *at, ...)
{
	return list->all.c + n + at->x;
}

static struct arena arena;
static struct intern intern;
static struct types types;
static struct dwarf_types *shared;
static struct dwarf *info;

static void release(void)
{
	if (info)
		dwarf_close(info);
	dwarf_types_free(shared);
	types_release(&types);
	intern_release(&intern);
	arena_release(&arena);
}

static void need_info(void)
{
	struct err err;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	if (info)
		return;
	arena_init(&arena);
	intern_init(&intern, &arena);
	types_init(&types, &arena, &intern, 256);
	shared = dwarf_types_new(&types);
	atexit(release);
	if (dwarf_open(fd, "dwarf_test", shared, &info, &err) < 0)
		SKIP("%s", err.text);
}

static const struct type *type_of(const char *name)
{
	const struct type *t;

	need_info();
	t = dwarf_type(info, name);
	if (!t)
		TEST_FAIL("no type %s", name);
	return type_resolve(t);
}

static void check_member(const struct type *t, const char *name, size_t offset, size_t size)
{
	struct type_member m;

	if (!type_member(t, name, &m))
		TEST_FAIL("no member %s", name);
	if (m.bit_offset != 8 * offset)
		TEST_FAIL("%s is at %" PRIu64 " bits, expected %zu", name, m.bit_offset,
			  8 * offset);
	if (type_size(m.type) != size)
		TEST_FAIL("%s has %" PRIu64 " bytes, expected %zu", name, type_size(m.type), size);
}

#define MEMBER(t, tag, name)                                                                       \
	check_member(t, #name, offsetof(struct tag, name), sizeof(((struct tag *)0)->name))

TEST(members_are_where_the_compiler_puts_them)
{
	const struct type *t = type_of("struct all");

	CHECK_EQ(t->size, sizeof(struct all));
	CHECK_EQ(t->align, _Alignof(struct all));
	MEMBER(t, all, c);
	MEMBER(t, all, next);
	MEMBER(t, all, spots);
	MEMBER(t, all, grid);
	MEMBER(t, all, real);
	MEMBER(t, all, raw);
	MEMBER(t, all, fruit);
	MEMBER(t, all, call);
	MEMBER(t, all, self);
	check_member(t, "tail", offsetof(struct all, tail), 0);
}

/* Reads a bit-field as the code generator does. */
static uint64_t read_bits(const struct type *t, const char *name, const void *p)
{
	struct type_member m;
	uint64_t unit, shift, v = 0;

	if (!type_member(t, name, &m) || !m.bits)
		TEST_FAIL("no bit-field %s", name);
	unit = 8 * type_size(m.type);
	shift = m.bit_offset % unit;
	if (shift + m.bits > unit)
		shift = m.bit_offset % 8;
	memcpy(&v, (const char *)p + (m.bit_offset - shift) / 8, unit / 8);
	return v >> shift & (UINT64_MAX >> (64 - m.bits));
}

TEST(bit_fields_are_read_back)
{
	struct {
		struct all all;
		char room[8];
	} a = {.all = {.low = 5, .high = 100, .wide = 0x123456789}};
	struct {
		struct tight tight;
		char room[8];
	} p = {.tight = {.bits = 0x2aaaaaaa, .more = 0x55555}};

	CHECK_EQ(read_bits(type_of("struct all"), "low", &a), 5);
	CHECK_EQ(read_bits(type_of("struct all"), "high", &a), 100);
	CHECK_EQ(read_bits(type_of("struct all"), "wide", &a), 0x123456789);
	CHECK_EQ(read_bits(type_of("struct tight"), "bits", &p), 0x2aaaaaaa);
	CHECK_EQ(read_bits(type_of("struct tight"), "more", &p), 0x55555);
	MEMBER(type_of("struct tight"), tight, i);
}

TEST(what_a_pointer_points_to_is_made_when_asked_for)
{
	const struct type *t;
	struct type_member m;

	type_member(type_of("struct list"), "next", &m);
	t = type_resolve(type_resolve(m.type)->ref);
	CHECK(type_same(t, type_of("struct list")));
	type_member(type_of("struct all"), "self", &m);
	CHECK(type_resolve(type_resolve(m.type)->ref) == type_of("struct all"));
}

TEST(enumerations_and_typedefs)
{
	const struct type *t = type_of("enum fruit");

	CHECK_EQ(t->nenumrs, 3);
	CHECK(!strcmp(t->enumrs[1].name, "PEAR"));
	CHECK(t->enumrs[1].value == -7);
	CHECK_EQ(t->size, sizeof(enum fruit));
	CHECK_EQ(type_of("spot")->size, sizeof(spot));
	CHECK(dwarf_type(info, "struct spot") == NULL);
	CHECK(dwarf_type(info, "union all") == NULL);
	CHECK(dwarf_type(info, "nosuch_t") == NULL);
}

TEST(variables_have_address_and_type)
{
	struct dwarf_var a, l;

	need_info();
	CHECK(dwarf_variable(info, "dwarf_test_all", 0, &a) && a.has_addr);
	CHECK(dwarf_variable(info, "dwarf_test_list", 0, &l) && l.has_addr);
	CHECK(l.addr - a.addr == (uintptr_t)&dwarf_test_list - (uintptr_t)&dwarf_test_all);
	CHECK(type_resolve(a.type) == type_of("struct all"));
	CHECK(!dwarf_variable(info, "no_such_variable", 0, &a));
}

TEST(functions_have_parameters)
{
	struct dwarf_func f;
	struct dwarf_var v;
	char name[64];
	taddr_t addr;

	need_info();
	CHECK(dwarf_variable(info, "dwarf_test_all", 0, &v));
	addr = v.addr + ((uintptr_t)dwarf_test_function - (uintptr_t)&dwarf_test_all);
	CHECK(dwarf_function(info, addr, &f));
	CHECK_EQ(f.nparams, 3);
	CHECK(f.varargs);
	CHECK(!strcmp(type_name(f.params[0].type, name, sizeof(name)), "struct list *"));
	CHECK(!strcmp(type_name(f.params[1].type, name, sizeof(name)), "unsigned char"));
	CHECK(!strcmp(type_name(f.params[2].type, name, sizeof(name)), "const spot *"));
	CHECK(f.result == types.t_int);
	CHECK(!dwarf_function(info, addr + 1, &f));
}

/* Asks for all there is in a copy of this program whose debug information was damaged. */
static void survive(unsigned seed)
{
	static const char *const names[] = {"struct all", "struct tight", "struct list",
					    "enum fruit", "spot"};
	char path[] = "/tmp/dwarf_test.XXXXXX", buf[4096];
	int in = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), out = mkstemp(path);
	off_t at = 0, size = lseek(in, 0, SEEK_END);
	struct dwarf_types *damaged;
	struct dwarf *d;
	struct dwarf_var v;
	struct err err;
	ssize_t n;

	unlink(path);
	for (; (n = pread(in, buf, sizeof(buf), at)) > 0; at += n)
		if (pwrite(out, buf, (size_t)n, at) != n)
			TEST_FAIL("write: %s", strerror(errno));
	close(in);
	srand(seed);
	for (unsigned i = 0; i < 4000;
	     i++) { /* headers are left alone: they have their own tests */
		uint8_t byte = (uint8_t)rand();

		if (pwrite(out, &byte, 1, 4096 + rand() % (size - 4096 - 8192)) != 1)
			TEST_FAIL("write: %s", strerror(errno));
	}
	damaged = dwarf_types_new(&types);
	if (dwarf_open(out, "damaged", damaged, &d, &err) < 0) {
		dwarf_types_free(damaged);
		return;
	}
	for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
		dwarf_type(d, names[i]);
	dwarf_variable(d, "dwarf_test_all", 0, &v);
	dwarf_variable(d, "dwarf_test_list", 0, &v);
	dwarf_close(d);
	dwarf_types_free(damaged);
}

TEST(damage_is_survived)
{
	need_info();
	for (unsigned seed = 1; seed <= 20; seed++)
		survive(seed);
}

TEST(no_debug_information_is_an_error)
{
	struct dwarf *d;
	struct err err;

	need_info();
	CHECK_EQ(dwarf_open(open("/dev/null", O_RDONLY | O_CLOEXEC), "x", shared, &d, &err),
		 -ENODATA);
	CHECK(!strcmp(err.text, "no debug information"));
}

TEST_MAIN();
