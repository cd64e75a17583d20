#include "symbols/symbols.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/test.h"

/* clang-format off */
static const char program[] =
	"#include <stdio.h>\n"
	"#define NOINLINE __attribute__((noinline, noclone))\n"
	"int data_object = 7;\n"
	"static NOINLINE int local_one(int x) { __asm__ volatile(\"\"); return x + 1; }\n"
	"NOINLINE int visible(int x) { __asm__ volatile(\"\"); return local_one(x) * 2; }\n"
	"extern int _alias(int) __attribute__((alias(\"visible\")));\n"
	"extern int weak_alias(int) __attribute__((weak, alias(\"visible\")));\n"
	"NOINLINE int two_ways(int x) { if (x > 3) return 1; __asm__ volatile(\"\"); return x; }\n"
	"NOINLINE int tail(int x) { return visible(x + 1); }\n"
	"static int chosen(void) { return 5; }\n"
	"static void *resolve(void) { return chosen; }\n"
	"int indirect(void) __attribute__((ifunc(\"resolve\")));\n"
	"__asm__(\".text\\n.globl by_hand\\n.type by_hand,@function\\nby_hand: .cfi_startproc\\n\"\n"
	"        \"mov $1,%eax\\nret\\n.cfi_endproc\\n\");\n"
	"extern int by_hand(void);\n"
	"int main(int argc, char **argv) {\n"
	"	(void)argv; printf(\"%d\\n\", tail(argc) + two_ways(argc) + indirect() + by_hand());\n"
	"	return 0; }\n";
/* clang-format on */

static char dir[] = "/tmp/elf_test.XXXXXX";

static void cleanup(void)
{
	char cmd[64];

	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	if (system(cmd))
		perror(cmd);
}

/* Compiles the program in a variant; returns the path. */
static const char *variant(const char *name, const char *flags, bool stripped)
{
	static char path[64];
	char cmd[512], src[64];
	FILE *f;

	if (!strcmp(dir + strlen(dir) - 6, "XXXXXX")) {
		if (!mkdtemp(dir))
			TEST_FAIL("mkdtemp: %s", strerror(errno));
		atexit(cleanup);
	}
	snprintf(src, sizeof(src), "%s/program.c", dir);
	f = fopen(src, "w");
	CHECK(f != NULL);
	fputs(program, f);
	fclose(f);
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	snprintf(cmd, sizeof(cmd), "gcc -O2 %s -o %s %s %s 2>%s/log", flags, path, src,
		 stripped ? "-s" : "", dir);
	if (access(path, F_OK) && system(cmd))
		SKIP("cannot build: %s", cmd);
	return path;
}

static struct objfile *open_path(const char *path)
{
	struct objfile *o;
	struct err err;
	int fd = open(path, O_RDONLY);

	CHECK(fd >= 0);
	if (objfile_open(fd, path, &o, &err))
		TEST_FAIL("%s", err.text);
	return o;
}

static const struct func *find_one(const struct objfile *o, const char *name)
{
	const struct func *f;

	CHECK_EQ(objfile_find(o, name, &f, 1), 1);
	return f;
}

static void check_variant(const char *name, const char *flags, bool is_exec, bool dynamic)
{
	struct objfile *o = open_path(variant(name, flags, false));
	const struct func *f = find_one(o, "local_one");
	uint8_t byte;

	CHECK_EQ(o->is_exec, is_exec);
	CHECK_EQ(o->has_interp, dynamic);
	CHECK_STR(o->name, name);
	CHECK_STR(f->name, "local_one");
	CHECK(objfile_at(o, f->addr) == f);
	CHECK(objfile_at(o, f->addr + f->size - 1) == f);
	CHECK(objfile_at(o, f->addr + f->size) != f);
	CHECK_EQ(objfile_bytes(o, f->addr, &byte, 1), 1);
	CHECK(objfile_at(o, o->entry) != NULL);
	for (unsigned i = 1; i < o->nfuncs; i++)
		CHECK(o->funcs[i - 1].addr < o->funcs[i].addr ||
		      (o->funcs[i - 1].addr == o->funcs[i].addr &&
		       (o->funcs[i - 1].size < o->funcs[i].size ||
			o->funcs[i - 1].is_ifunc < o->funcs[i].is_ifunc)));
	objfile_close(o);
}

TEST(pie)
{
	check_variant("pie", "-fPIE -pie", false, true);
}

TEST(no_pie)
{
	check_variant("nopie", "-fno-pie -no-pie", true, true);
}

TEST(static_program)
{
	check_variant("static", "-fno-pie -static", true, false);
}

TEST(static_pie)
{
	check_variant("staticpie", "-fPIE -static-pie", false, false);
}

TEST(stripped_functions_are_named_by_address)
{
	struct objfile *full = open_path(variant("pie", "-fPIE -pie", false));
	struct objfile *o = open_path(variant("stripped", "-fPIE -pie", true));
	const struct func *was = find_one(full, "two_ways"), *f = objfile_at(o, was->addr);
	char name[32];

	CHECK(f != NULL);
	CHECK(f->is_cfi);
	CHECK_EQ(f->addr, was->addr);
	CHECK_EQ(f->size, was->size);
	snprintf(name, sizeof(name), "sub_%llx", (unsigned long long)was->addr);
	CHECK_STR(f->name, name);
	CHECK(find_one(o, name) == f);
	objfile_close(o);
	objfile_close(full);
}

TEST(plt_stubs_are_no_functions)
{
	struct objfile *o = open_path(variant("stripped", "-fPIE -pie", true));

	for (unsigned i = 0; i < o->nfuncs; i++) {
		uint8_t code[2];

		CHECK_EQ(objfile_bytes(o, o->funcs[i].addr, code, 2), 2);
		CHECK(!(code[0] == 0xff && (code[1] == 0x25 || code[1] == 0x35)));
	}
	objfile_close(o);
}

/* Global before local, fewer underscores, then by alphabet (docs/spec/pid-engine.md §1.3). */
TEST(an_alias_finds_the_preferred_name)
{
	struct objfile *o = open_path(variant("pie", "-fPIE -pie", false));

	CHECK_STR(find_one(o, "_alias")->name, "visible");
	CHECK_STR(find_one(o, "weak_alias")->name, "visible");
	CHECK(find_one(o, "weak_alias") == find_one(o, "visible"));
	objfile_close(o);
}

TEST(an_indirect_function_is_its_resolver)
{
	struct objfile *o = open_path(variant("pie", "-fPIE -pie", false));
	const struct func *f = find_one(o, "indirect");
	taddr_t resolver;
	uint64_t size;

	CHECK(objfile_symbol(o, "resolve", &resolver, &size));
	CHECK_EQ(f->addr, resolver);
	CHECK_STR(f->name, "indirect");
	CHECK(f->is_ifunc);
	CHECK_STR(find_one(o, "resolve")->name, "resolve");
	CHECK_STR(objfile_at(o, resolver)->name, "resolve"); /* it is its code */
	objfile_close(o);
}

/* Compares the names of stubs with those that objdump says; returns how many there are. */
static unsigned check_stubs(const char *path, bool stripped)
{
	struct objfile *o = open_path(path);
	char cmd[256], name[128];
	unsigned long long addr;
	unsigned n = 0;
	taddr_t start;
	FILE *f;

	snprintf(cmd, sizeof(cmd),
		 "objdump -d %s | sed -n 's/^\\([0-9a-f]*\\) <\\(.*@plt\\)>:/\\1 \\2/p'", path);
	f = popen(cmd, "r");
	CHECK(f != NULL);
	while (fscanf(f, "%llx %127s", &addr, name) == 2) {
		n++;
		if (name[0] == '*' && stripped)
			continue;
		if (name[0] == '*') /* *ABS*+0x...: a resolver's address */
			snprintf(name, sizeof(name), "indirect@plt");
		CHECK(!objfile_at(o, addr));
		CHECK_STR(objfile_other_at(o, addr, &start), name);
		CHECK_EQ(start, addr);
		CHECK_STR(objfile_other_at(o, addr + 7, &start), name);
		CHECK_EQ(start, addr);
	}
	pclose(f);
	objfile_close(o);
	return n;
}

/* Of a table that is filled as functions are called, and at once; with landing places for indirect
 * jumps; with entries of 8 bytes (__cxa_finalize); by other linkers; without symbols. */
TEST(stubs_have_the_names_of_what_they_call)
{
	static const char *const flags[] = {
		"-fPIE -pie",
		"-fPIE -pie -Wl,-z,now",
		"-fPIE -pie -fcf-protection -Wl,-z,ibtplt",
		"-fPIE -pie -fcf-protection -Wl,-z,ibtplt -Wl,-z,now",
		"-no-pie -fno-pie",
		"-fPIE -pie -fuse-ld=gold",
		"-fPIE -pie -fuse-ld=lld",
	};
	char name[16];

	for (unsigned i = 0; i < ARRAY_SIZE(flags); i++)
		for (unsigned stripped = 0; stripped < 2; stripped++) {
			snprintf(name, sizeof(name), "stubs%u.%u", i, stripped);
			CHECK(check_stubs(variant(name, flags[i], stripped), stripped) >= 1);
		}
}

/* The word is what a resolver chooses: the function is called as the file calls that. */
TEST(stubs_of_a_static_program)
{
	struct objfile *o = open_path(variant("static", "-static", false));
	const char *path = variant("static", "-static", false), *name;
	char cmd[256];
	unsigned long long addr;
	unsigned n = 0;
	FILE *f;

	snprintf(cmd, sizeof(cmd),
		 "objdump -d -j .plt %s | sed -n 's/^ *\\([0-9a-f]*\\):.*jmp .*/\\1/p'", path);
	f = popen(cmd, "r");
	CHECK(f != NULL);
	while (fscanf(f, "%llx", &addr) == 1) {
		const struct func *func;
		taddr_t start;
		char own[128];

		name = objfile_other_at(o, addr, &start);
		CHECK(name != NULL);
		snprintf(own, sizeof(own), "%.*s", (int)(strlen(name) - 4), name);
		CHECK_STR(name + strlen(own), "@plt");
		CHECK(objfile_find(o, own, &func, 1) && func->is_ifunc);
		n++;
	}
	pclose(f);
	CHECK(n > 1);
	objfile_close(o);
}

static void count_words(void *arg, taddr_t at, uint64_t in_file UNUSED)
{
	CHECK(at);
	++*(unsigned *)arg;
}

/* The loader writes the address of what the resolver answers, and those of other files' functions.
 */
TEST(words_that_the_loader_fills)
{
	static const char *const flags[] = {"-fPIE -pie", "-no-pie -fno-pie", "-static",
					    "-static-pie -fPIE"};

	for (unsigned i = 0; i < ARRAY_SIZE(flags); i++) {
		char name[16];
		struct objfile *o;
		unsigned mine = 0, printfs = 0, others = 0;

		snprintf(name, sizeof(name), "words%u", i);
		o = open_path(variant(name, flags[i], false));
		objfile_each_fnword(o, NULL, find_one(o, "indirect")->addr, count_words, &mine);
		objfile_each_fnword(o, "printf", 0, count_words, &printfs);
		objfile_each_fnword(o, "no_such_function", 0, count_words, &others);
		CHECK_EQ(mine, 1);
		CHECK_EQ(printfs, i < 2);
		CHECK_EQ(others, 0);
		objfile_close(o);
	}
}

TEST(a_function_in_assembly_gets_its_size_from_cfi)
{
	struct objfile *o = open_path(variant("pie", "-fPIE -pie", false));
	const struct func *f = find_one(o, "by_hand");

	CHECK_STR(f->name, "by_hand");
	CHECK_EQ(f->size, 6);
	objfile_close(o);
}

TEST(data_is_a_symbol_but_no_function)
{
	struct objfile *o = open_path(variant("pie", "-fPIE -pie", false));
	const struct func *f;
	taddr_t addr;
	uint64_t size;

	CHECK(objfile_symbol(o, "data_object", &addr, &size));
	CHECK_EQ(size, 4);
	CHECK_EQ(objfile_find(o, "data_object", &f, 1), 0);
	CHECK(!objfile_symbol(o, "no_such_thing", &addr, &size));
	objfile_close(o);
}

TEST(return_sites_are_rets_and_leaving_jumps)
{
	struct objfile *o = open_path(variant("pie", "-fPIE -pie", false));
	const struct retsite *site;
	const struct func *f = find_one(o, "two_ways");
	bool decoded;
	unsigned n = objfile_retsites(o, f, &site, &decoded);

	CHECK(decoded);
	CHECK(n >= 1);
	for (unsigned i = 0; i < n; i++) {
		uint8_t byte;

		objfile_bytes(o, f->addr + site[i].off, &byte, 1);
		CHECK_EQ(byte, 0xc3);
		CHECK(!site[i].is_jump);
		CHECK(!i || site[i - 1].off < site[i].off);
	}
	n = objfile_retsites(o, find_one(o, "tail"), &site, &decoded);
	CHECK_EQ(n, 1);
	CHECK(site[0].is_jump);
	CHECK(decoded);
	objfile_close(o);
}

TEST(names_are_suggested)
{
	struct objfile *o = open_path(variant("pie", "-fPIE -pie", false));
	struct nearest near;

	nearest_init(&near, "mian");
	objfile_suggest(o, &near);
	CHECK_EQ(near.n, 1);
	CHECK_STR(near.names[0], "main");
	nearest_release(&near);
	nearest_init(&near, "entirely_different");
	objfile_suggest(o, &near);
	CHECK_EQ(near.n, 0);
	nearest_release(&near);
	objfile_close(o);
}

TEST(libc_by_its_dynamic_symbols)
{
	struct objfile *o = open_path("/lib/x86_64-linux-gnu/libc.so.6");
	const struct func *f = find_one(o, "malloc");
	char name[8] = "";

	CHECK_STR(f->name, "malloc");
	CHECK_STR(o->soname, "libc.so.6");
	CHECK(o->buildid_len > 0);
	CHECK(find_one(o, "memcpy")->is_ifunc); /* the default version, not memcpy@GLIBC_2.2.5 */
	objfile_bytes(o, 1, name, 3);
	CHECK_STR(name, "ELF");
	objfile_close(o);
}

/* Both are found; a probe of that name has two sites. */
TEST(two_static_functions_of_one_name)
{
	const char *path = variant("pie", "-fPIE -pie", false);
	char cmd[512], twice[64];
	const struct func *f[3];
	struct objfile *o;

	snprintf(twice, sizeof(twice), "%s/twice", dir);
	snprintf(cmd, sizeof(cmd),
		 "cd %s && echo 'static int __attribute__((used)) same(void) { return FN(); }' "
		 ">same.h && printf '#define FN one\nint one(void);\n#include \"same.h\"\n"
		 "int two(void) { return 2; }' >a.c && printf '#define FN two\nint two(void);\n"
		 "#include \"same.h\"\nint one(void) { return 1; } int main(void) { return 0; }' "
		 ">b.c "
		 "&& gcc -o %s a.c b.c",
		 dir, twice);
	if (system(cmd))
		SKIP("cannot build beside %s", path);
	o = open_path(twice);
	CHECK_EQ(objfile_find(o, "same", f, 3), 2);
	CHECK(f[0]->addr != f[1]->addr);
	CHECK_STR(f[0]->name, "same");
	CHECK_STR(f[1]->name, "same");
	objfile_close(o);
}

/* ---- bad files ---- */

static int open_bytes(const void *bytes, size_t n, struct err *err)
{
	struct objfile *o = NULL;
	int fd = memfd_create("elf_test", 0), r;

	CHECK_EQ(write(fd, bytes, n), (ssize_t)n);
	r = objfile_open(fd, "file", &o, err);
	if (!r)
		objfile_close(o);
	return r;
}

static void *read_file(const char *path, size_t *size)
{
	struct stat st;
	int fd = open(path, O_RDONLY);
	void *p;

	CHECK(fd >= 0 && !fstat(fd, &st));
	p = malloc((size_t)st.st_size);
	CHECK_EQ(read(fd, p, (size_t)st.st_size), st.st_size);
	close(fd);
	*size = (size_t)st.st_size;
	return p;
}

TEST(a_text_is_not_a_program)
{
	struct err err;

	CHECK_EQ(open_bytes("#!/bin/sh\n", 10, &err), -ENOEXEC);
	CHECK_STR(err.text, "file is not an ELF file");
	CHECK_EQ(open_bytes("", 0, &err), -ENOEXEC);
	CHECK_STR(err.text, "file is not an ELF file");
}

TEST(a_directory_is_not_a_program)
{
	struct objfile *o;
	struct err err;

	CHECK_EQ(objfile_open(open("/", O_RDONLY), "/", &o, &err), -ENOEXEC);
	CHECK_STR(err.text, "/ is not an ELF file");
}

/* Between what was checked and what is read. */
TEST(a_file_that_shrinks)
{
	size_t size;
	void *bytes = read_file("/proc/self/exe", &size);
	int fd = memfd_create("elf_test", 0);
	const struct func *f;
	struct objfile *o;
	struct err err;
	char code[16];

	CHECK_EQ(write(fd, bytes, size), (ssize_t)size);
	free(bytes);
	CHECK_EQ(objfile_open_headers(fd, "file", &o, &err), 0);
	CHECK_EQ(ftruncate(fd, 4096), 0);
	CHECK(objfile_load(o, &err) < 0);
	CHECK(strstr(err.text, "file"));
	CHECK_EQ(objfile_bytes(o, o->entry, code, sizeof(code)), 0);
	f = objfile_at(o, o->entry);
	CHECK(!f);
	objfile_close(o);
}

TEST(another_machine)
{
	Elf64_Ehdr eh = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB},
			 .e_machine = EM_AARCH64,
			 .e_type = ET_DYN};
	struct err err;

	CHECK_EQ(open_bytes(&eh, sizeof(eh), &err), -ENOEXEC);
	CHECK_STR(err.text, "file is not an x86-64 program");
	eh.e_machine = EM_X86_64;
	eh.e_type = ET_REL;
	CHECK_EQ(open_bytes(&eh, sizeof(eh), &err), -ENOEXEC);
	CHECK_STR(err.text, "file is neither a program nor a shared library");
}

TEST(a_truncated_file)
{
	struct err err;
	size_t size;
	char *bytes = read_file(variant("pie", "-fPIE -pie", false), &size);

	for (size_t n = 4; n < size; n += n < 1024 ? 61 : 997) {
		CHECK_EQ(open_bytes(bytes, n, &err), -ENOEXEC);
		CHECK(!strncmp(err.text, "file is damaged: ", 17));
	}
	free(bytes);
}

TEST(a_section_table_that_is_elsewhere)
{
	struct err err;
	size_t size;
	char *bytes = read_file(variant("pie", "-fPIE -pie", false), &size);
	Elf64_Ehdr *eh = (Elf64_Ehdr *)(void *)bytes;
	Elf64_Shdr *sh = (Elf64_Shdr *)(void *)(bytes + eh->e_shoff);

	for (unsigned i = 0; i < eh->e_shnum; i++)
		if (sh[i].sh_type == SHT_SYMTAB)
			sh[i].sh_size = UINT64_MAX - 100;
	CHECK_EQ(open_bytes(bytes, size, &err), -ENOEXEC);
	CHECK_STR(err.text, "file is damaged: its symbol table lies outside the file");
	eh->e_shoff = UINT64_MAX - 7;
	CHECK_EQ(open_bytes(bytes, size, &err), -ENOEXEC);
	CHECK_STR(err.text, "file is damaged: its section table lies outside the file; is it "
			    "truncated?");
	eh->e_shoff = 0; /* no sections at all: functions come from .eh_frame_hdr */
	CHECK_EQ(open_bytes(bytes, size, &err), 0);
	free(bytes);
}

TEST_MAIN();
