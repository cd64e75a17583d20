#include "dlang/run/subrs.h"

#include "tests/unit/test.h"
#include "tests/unit/vmrig.h"

static struct vm_key keys[DIF_NTREGS];
static unsigned nkeys;

static void arg_int(int64_t v)
{
	keys[nkeys++] = (struct vm_key){.value = (uint64_t)v, .kind = DIF_PUSH_INT};
}

/* Strings are texts of ours, as those of built-in variables are. */
static void arg_str(const char *s)
{
	uint64_t v = s ? rig_text(s) : 0;

	keys[nkeys++] = (struct vm_key){.value = v, .kind = DIF_PUSH_STRING};
}

static uint64_t call(uint64_t (*fn)(struct vm *, const struct vm_key *, unsigned))
{
	uint64_t v = fn(rig.vm, keys, nkeys);

	nkeys = 0;
	return v;
}

/* The string a call gives; NULL or a fault are said in its place. */
static const char *text(uint64_t (*fn)(struct vm *, const struct vm_key *, unsigned))
{
	uint64_t v = call(fn);

	if (rig.vm->fault)
		return "(fault)";
	return v ? (const char *)(uintptr_t)v : "(NULL)";
}

static const char *str1(uint64_t (*fn)(struct vm *, const struct vm_key *, unsigned), const char *s)
{
	arg_str(s);
	return text(fn);
}

static const char *str2(uint64_t (*fn)(struct vm *, const struct vm_key *, unsigned), const char *a,
			const char *b)
{
	arg_str(a);
	arg_str(b);
	return text(fn);
}

static const char *substr(const char *s, int idx, const int *len)
{
	arg_str(s);
	arg_int(idx);
	if (len)
		arg_int(*len);
	return text(subr_substr);
}
#define LEN(n) (&(int){n})

static int64_t find(uint64_t (*fn)(struct vm *, const struct vm_key *, unsigned), const char *s,
		    const char *sub, const int *start)
{
	arg_str(s);
	arg_str(sub);
	if (start)
		arg_int(*start);
	return (int64_t)call(fn);
}

static const char *number(int64_t v, int base)
{
	arg_int(v);
	arg_int(base);
	return text(subr_lltostr);
}

static int64_t parse(const char *s, int base)
{
	arg_str(s);
	arg_int(base);
	return (int64_t)call(subr_strtoll);
}

TEST(basename_drops_directories_and_slashes)
{
	rig_default();
	CHECK_STR(str1(subr_basename, "/usr/lib/"), "lib");
	CHECK_STR(str1(subr_basename, "lib"), "lib");
	CHECK_STR(str1(subr_basename, "/"), "/");
	CHECK_STR(str1(subr_basename, "///"), "/");
	CHECK_STR(str1(subr_basename, ""), ".");
	CHECK_STR(str1(subr_basename, "/a"), "a");
}

TEST(dirname_is_that_of_libc)
{
	rig_default();
	CHECK_STR(str1(subr_dirname, "/usr/lib/"), "/usr");
	CHECK_STR(str1(subr_dirname, "/a/b/"), "/a");
	CHECK_STR(str1(subr_dirname, "a"), ".");
	CHECK_STR(str1(subr_dirname, "a/"), ".");
	CHECK_STR(str1(subr_dirname, "/"), "/");
	CHECK_STR(str1(subr_dirname, "/a"), "/");
	CHECK_STR(str1(subr_dirname, "a//b"), "a");
	CHECK_STR(str1(subr_dirname, ""), ".");
}

TEST(cleanpath_follows_the_manual)
{
	static const char *const rows[][2] = {
		{"/a/../b//./c", "/b/c"},
		{"/a/b/../", "/a"},
		{"a/../b", "b"},
		{"/a/b/..", "/a"},
		{"a/..", "."},
		{"a/../..", ".."},
		{"./a", "a"},
		{"../../b/..", "../.."},
		{"a//b/", "a/b"},
		{"//", "/"},
		{"", ""},
		{"/..", "/"},
		{"/../a", "/a"},
		{".", "."},
		{"..", ".."},
		{"a/.", "a"},
		{"../a/../..", "../.."},
		{"/", "/"},
		{"/.../x", "/.../x"},
	};

	rig_default();
	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_STR(str1(subr_cleanpath, rows[i][0]), rows[i][1]);
}

TEST(index_finds_the_first)
{
	rig_default();
	CHECK_EQ(find(subr_index, "banana", "an", NULL), 1);
	CHECK_EQ(find(subr_index, "banana", "an", LEN(2)), 3);
	CHECK_EQ(find(subr_index, "banana", "an", LEN(4)), -1);
	CHECK_EQ(find(subr_index, "banana", "an", LEN(-5)), 1);
	CHECK_EQ(find(subr_index, "abc", "", LEN(1)), 1);
	CHECK_EQ(find(subr_index, "abc", "", LEN(3)), 3);
	CHECK_EQ(find(subr_index, "abc", "", LEN(7)), -1);
	CHECK_EQ(find(subr_index, "abc", "abcd", NULL), -1);
}

TEST(rindex_finds_the_last)
{
	rig_default();
	CHECK_EQ(find(subr_rindex, "banana", "an", NULL), 3);
	CHECK_EQ(find(subr_rindex, "banana", "an", LEN(2)), 1);
	CHECK_EQ(find(subr_rindex, "banana", "an", LEN(0)), -1);
	CHECK_EQ(find(subr_rindex, "abc", "", LEN(7)), 3);
	CHECK_EQ(find(subr_rindex, "abc", "", LEN(-3)), -1);
	CHECK_EQ(find(subr_rindex, "abc", "", NULL), 3);
}

TEST(substr_follows_perl)
{
	rig_default();
	CHECK_STR(substr("abcdef", 2, NULL), "cdef");
	CHECK_STR(substr("abcdef", -2, NULL), "ef");
	CHECK_STR(substr("abcdef", 1, LEN(-2)), "bcd");
	CHECK_STR(substr("abcdef", -8, LEN(4)), "ab");
	CHECK_STR(substr("abcdef", 6, NULL), "");
	CHECK_STR(substr("abcdef", 7, NULL), "");
	CHECK_STR(substr("abcdef", -8, LEN(2)), "");
	CHECK_STR(substr("abcdef", 2, LEN(-9)), "");
	CHECK_STR(substr("abcdef", -8, NULL), "abcdef");
	CHECK_STR(substr("abcdef", -3, LEN(-1)), "de");
	CHECK_STR(substr("abcdef", 2, LEN(100)), "cdef");
	CHECK_STR(substr("abcdef", INT32_MIN, LEN(INT32_MAX)), "abcde");
}

static const char *strtok_more(const char *delimiters)
{
	arg_int(0);
	arg_str(delimiters);
	return text(subr_strtok);
}

TEST(strtok_walks_through_one_firing)
{
	rig_default();
	CHECK_STR(str2(subr_strtok, "a,,b", ","), "a");
	CHECK_STR(strtok_more(","), "b");
	CHECK_STR(strtok_more(","), "(NULL)");
	CHECK_STR(strtok_more(","), "(NULL)");
	CHECK_STR(str2(subr_strtok, "aXb", "X"), "a");
	CHECK_STR(strtok_more("b"), "X");
	CHECK_STR(str2(subr_strtok, ",,", ","), "(NULL)");
	CHECK_STR(str2(subr_strtok, "x y", " "), "x");
	vm_begin_clause(rig.vm, &rig.ecb);
	CHECK_STR(strtok_more(" "), "y");
	CHECK_STR(str2(subr_strtok, "x y", " "), "x");
	vm_begin_firing(rig.vm, &rig.ev);
	CHECK_STR(strtok_more(" "), "(NULL)");
	CHECK_STR(str2(subr_strtok, NULL, " "), "(fault)");
}

TEST(strstr_and_strchr_give_the_rest)
{
	rig_default();
	CHECK_STR(str2(subr_strstr, "banana", "na"), "nana");
	CHECK_STR(str2(subr_strstr, "banana", ""), "banana");
	CHECK_STR(str2(subr_strstr, "banana", "nb"), "(NULL)");
	arg_str("banana");
	arg_int('n');
	CHECK_STR(text(subr_strchr), "nana");
	arg_str("banana");
	arg_int('n');
	CHECK_STR(text(subr_strrchr), "na");
	arg_str("banana");
	arg_int(0);
	CHECK_STR(text(subr_strchr), "(NULL)");
	arg_str("banana");
	arg_int(0);
	CHECK_STR(text(subr_strrchr), "(NULL)");
}

TEST(strings_are_cut_at_strsize)
{
	rig_new(8, 1 << 16);
	rig_start();
	CHECK_STR(str2(subr_strjoin, "abcdefg", "hijk"), "abcdefgh");
	CHECK_STR(str2(subr_strjoin, "abcdefghij", "k"), "abcdefgh");
	arg_str("abcdefghijkl");
	CHECK_EQ(call(subr_strlen), 8);
	CHECK_STR(number(1023, 2), "11111111");
	CHECK_STR(str1(subr_basename, "/abcdefghij"), "abcdefg");
}

TEST(case_is_ascii)
{
	rig_default();
	CHECK_STR(str1(subr_toupper, "az{`\xe4"), "AZ{`\xe4");
	CHECK_STR(str1(subr_tolower, "AZ[@\xc4"), "az[@\xc4");
}

TEST(lltostr_writes_every_base)
{
	rig_default();
	arg_int(-5);
	CHECK_STR(text(subr_lltostr), "-5");
	CHECK_STR(number(255, 16), "0xff");
	CHECK_STR(number(8, 8), "010");
	CHECK_STR(number(0, 8), "0");
	CHECK_STR(number(0, 16), "0x0");
	CHECK_STR(number(0, 10), "0");
	CHECK_STR(number(35, 36), "z");
	CHECK_STR(number(INT64_MIN, 10), "-9223372036854775808");
	CHECK_STR(number(-1, 16), "0xffffffffffffffff");
	CHECK_STR(number(-1, 2),
		  "1111111111111111111111111111111111111111111111111111111111111111");
	CHECK_STR(number(1, 37), "(fault)");
	CHECK_EQ(rig.vm->fault, FAULT_ILLOP);
}

TEST(strtoll_reads_what_it_can)
{
	rig_default();
	CHECK_EQ(parse("  -0x10", 16), -16);
	CHECK_EQ(parse("\t+12abc", 10), 12);
	CHECK_EQ(parse("ff", 16), 255);
	CHECK_EQ(parse("zz", 36), 35 * 37);
	CHECK_EQ(parse("0x", 16), 0);
	CHECK_EQ(parse("", 10), 0);
	CHECK_EQ(parse("x", 10), 0);
	CHECK_EQ(parse("-9223372036854775808", 10), INT64_MIN);
	parse("1", 1);
	CHECK_EQ(rig.vm->fault, FAULT_ILLOP);
}

TEST(null_string_is_an_invalid_address)
{
	rig_default();
	CHECK_STR(str1(subr_basename, NULL), "(fault)");
	CHECK_EQ(rig.vm->fault, FAULT_BADADDR);
	CHECK_EQ(rig.vm->fault_value, 0);
	vm_begin_clause(rig.vm, &rig.ecb);
	CHECK_STR(str2(subr_strjoin, NULL, "a"), "(fault)");
	vm_begin_clause(rig.vm, &rig.ecb);
	CHECK_STR(str2(subr_strtok, "a", NULL), "(fault)");
}

TEST(copyin_reads_the_target)
{
	rig_default();
	memcpy(rig.memory, "hello\0world", 12);
	arg_int(TARGET_BASE);
	CHECK_STR(text(subr_copyinstr), "hello");
	arg_int(TARGET_BASE);
	arg_int(3);
	CHECK_STR(text(subr_copyinstr), "he");
	arg_int(TARGET_BASE + 6);
	arg_int(6);
	CHECK_STR(text(subr_copyin), "world");
	CHECK(!rig.vm->fault);
}

TEST(copyin_of_what_is_not_there_faults)
{
	rig_default();
	arg_int(TARGET_BASE + TARGET_SIZE - 4);
	arg_int(8);
	call(subr_copyin);
	CHECK_EQ(rig.vm->fault, FAULT_BADADDR);
	CHECK_EQ(rig.vm->fault_value, TARGET_BASE + TARGET_SIZE - 4);
	vm_begin_clause(rig.vm, &rig.ecb);
	arg_int((int64_t)(uintptr_t)rig.vm->scratch.start); /* ours, not the target's */
	CHECK_STR(text(subr_copyinstr), "(fault)");
	vm_begin_clause(rig.vm, &rig.ecb);
	arg_int(TARGET_BASE);
	arg_int(64 << 20);
	call(subr_copyin);
	CHECK_EQ(rig.vm->fault, FAULT_NOSCRATCH);
}

TEST(string_that_ends_with_its_mapping_is_read)
{
	rig_default();
	memcpy(rig.memory + TARGET_SIZE - 4, "end", 4);
	arg_int(TARGET_BASE + TARGET_SIZE - 4);
	CHECK_STR(text(subr_copyinstr), "end");
	memcpy(rig.memory + TARGET_SIZE - 4, "open", 4);
	arg_int(TARGET_BASE + TARGET_SIZE - 4);
	CHECK_STR(text(subr_copyinstr), "(fault)");
}

TEST(copyout_writes_the_target)
{
	rig_default();
	arg_str("hello");
	arg_int(TARGET_BASE);
	arg_int(5);
	call(subr_copyout);
	CHECK(memcmp(rig.memory, "hello\0", 6) == 0);
	memset(rig.memory, 'x', 8);
	arg_str("hello");
	arg_int(TARGET_BASE);
	arg_int(100);
	call(subr_copyoutstr);
	CHECK(memcmp(rig.memory, "hello\0x", 7) == 0);
	arg_str("hello");
	arg_int(TARGET_BASE);
	arg_int(2);
	call(subr_copyoutstr);
	CHECK(memcmp(rig.memory, "hello", 5) == 0);
	CHECK(!rig.vm->fault);
	arg_str("hello");
	arg_int(1);
	arg_int(5);
	call(subr_copyout);
	CHECK_EQ(rig.vm->fault, FAULT_BADADDR);
	CHECK_EQ(rig.vm->fault_value, 1);
}

TEST(bcopy_and_copyinto_write_to_scratch_only)
{
	char *p;

	rig_default();
	p = vm_alloca(rig.vm, 8);
	arg_str("abc");
	arg_int((int64_t)(uintptr_t)p);
	arg_int(4);
	call(subr_bcopy);
	CHECK_STR(p, "abc");
	memcpy(rig.memory, "xyz", 4);
	arg_int(TARGET_BASE);
	arg_int(4);
	arg_int((int64_t)(uintptr_t)p);
	call(subr_copyinto);
	CHECK_STR(p, "xyz");
	arg_str("abc");
	arg_int((int64_t)(uintptr_t)rig.session);
	arg_int(4);
	call(subr_bcopy);
	CHECK_EQ(rig.vm->fault, FAULT_BADADDR);
	CHECK_EQ(rig.vm->fault_value, (uintptr_t)rig.session);
}

TEST(alloca_gives_zeroes)
{
	rig_default();
	arg_int(0);
	CHECK(call(subr_alloca));
	memset(rig.vm->scratch.start, 1, 64);
	arg_int(64);
	CHECK_EQ(*(char *)(uintptr_t)call(subr_alloca), 0);
	arg_int(-1);
	call(subr_alloca);
	CHECK_EQ(rig.vm->fault, FAULT_NOSCRATCH);
}

TEST(memstr_replaces_nuls)
{
	rig_default();
	memcpy(rig.memory, "a\0b\0c", 6);
	arg_int(TARGET_BASE);
	arg_int(' ');
	arg_int(5);
	CHECK_STR(text(subr_memstr), "a b c");
}

TEST(byte_order_functions_swap)
{
	rig_default();
	arg_int(0x1234);
	CHECK_EQ(call(subr_swap16), 0x3412);
	arg_int(0x12345678);
	CHECK_EQ(call(subr_swap32), 0x78563412);
	arg_int(1);
	CHECK_EQ(call(subr_swap64), (uint64_t)1 << 56);
}

TEST(device_numbers_are_those_of_linux)
{
	rig_default();
	arg_int(0x80100003);
	CHECK_EQ(call(subr_getmajor), 0x801);
	arg_int(0x80100003);
	CHECK_EQ(call(subr_getminor), 3);
}

TEST(index_check_faults_outside)
{
	rig_default();
	arg_int(9);
	arg_int(10);
	CHECK_EQ(call(subr_check_index), 9);
	CHECK(!rig.vm->fault);
	arg_int(-1);
	arg_int(10);
	call(subr_check_index);
	CHECK_EQ(rig.vm->fault, FAULT_BADINDEX);
	CHECK_EQ((int64_t)rig.vm->fault_value, -1);
}

TEST(rows_have_distinct_names_and_numbers)
{
	CHECK_STR(subrs[SUBR_STRLEN].name, "strlen");
	CHECK_STR(subrs[SUBR_CHECK_INDEX].name, "[]");
	CHECK_EQ(nsubrs, NSUBRS);
	for (unsigned i = 1; i < nsubrs && subrs[i].name[0] != '['; i++)
		CHECK(strcmp(subrs[i - 1].name, subrs[i].name) < 0);
}

TEST_MAIN();
