#include "symbols/jit.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/test.h"

static char path[64];

static void tidy_up(void)
{
	unlink(path);
}

/* Puts text into the perf map of this process: in place of what it has, or after it. */
static void write_map(const char *how, const char *text)
{
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	atexit(tidy_up);
	f = fopen(path, how);
	if (!f)
		SKIP("cannot write %s", path);
	fputs(text, f);
	fclose(f);
}

static const char *at(struct jitmap *m, taddr_t pc)
{
	const struct jitcode *c = jitmap_at(m, pc);

	return c ? c->name : "none";
}

TEST(the_latest_line_that_covers_an_address_holds)
{
	struct jitmap *m = jitmap_new(getpid());

	write_map("w", "1000 100 first\n2000 10 other name\n1080 10 inner\n");
	jitmap_poll(m);
	CHECK_STR(at(m, 0x1000), "first");
	CHECK_STR(at(m, 0x1085), "inner");
	CHECK_STR(at(m, 0x1090), "first");
	CHECK_STR(at(m, 0x200f), "other name");
	CHECK_STR(at(m, 0x2010), "none");
	CHECK_STR(at(m, 0xfff), "none");
	write_map("a", "1040 80 second\n");
	jitmap_poll(m);
	CHECK_STR(at(m, 0x1085), "second");
	CHECK_STR(at(m, 0x103f), "first");
	jitmap_free(m);
}

TEST(a_line_counts_when_it_is_whole)
{
	struct jitmap *m = jitmap_new(getpid());

	write_map("w", "1000 10 whole\n2000 10 ha");
	jitmap_poll(m);
	CHECK_EQ(jitmap_count(m), 1);
	write_map("a", "lf\n");
	jitmap_poll(m);
	CHECK_STR(at(m, 0x2000), "half");
	jitmap_free(m);
}

TEST(a_file_written_anew_is_read_anew)
{
	struct jitmap *m = jitmap_new(getpid());

	write_map("w", "1000 10 a\n2000 10 b\n");
	jitmap_poll(m);
	write_map("w", "1000 10 a\n3000 10 c\n4000 10 d\n");
	jitmap_poll(m);
	CHECK_EQ(jitmap_count(m), 4);
	CHECK_STR(at(m, 0x3000), "c");
	CHECK_STR(at(m, 0x2000), "b");
	jitmap_free(m);
}

TEST(code_told_before_the_file_counts_once)
{
	struct jitmap *m = jitmap_new(getpid());

	write_map("w", "");
	CHECK(jitmap_add(m, 0x1000, 16, "early"));
	write_map("a", "1000 10 early\n");
	jitmap_poll(m);
	CHECK_EQ(jitmap_count(m), 1);
	CHECK(!jitmap_add(m, 0x1000, 0, "empty"));
	CHECK(!jitmap_add(m, UINT64_MAX - 4, 16, "around"));
	jitmap_free(m);
}

TEST(what_another_reader_knows_does_not_come_back)
{
	struct jitmap *m = jitmap_new(1 << 30); /* nobody's: there is no file */
	const struct jitcode *c;

	jitmap_add(m, 0x1000, 0x10, "old");
	jitmap_add(m, 0x1000, 0x10, "new");
	jitmap_add_missing(m, 0x1000, 0x10, "old");
	c = jitmap_at(m, 0x1004);
	CHECK(c && !strcmp(c->name, "new"));
	jitmap_add_missing(m, 0x1000, 0x10, "newer");
	c = jitmap_at(m, 0x1004);
	CHECK(c && !strcmp(c->name, "newer"));
	jitmap_free(m);
}

TEST(damaged_lines_are_left_out)
{
	struct jitmap *m = jitmap_new(getpid());

	write_map("w", "hello\n\n1000\n1000 10\n1000 10 \n 10 10 x\n1000 0 zero\n"
		       "ffffffffffffffff ffffffffffffffff big\n1000 10 \x1b[31mred\n");
	jitmap_poll(m);
	CHECK_STR(at(m, 0x1000), "\\x1b[31mred");
	jitmap_free(m);
}

TEST(a_file_of_someone_else_is_not_read)
{
	struct jitmap *m;

	if (geteuid() != 0)
		SKIP("only root can give files away");
	m = jitmap_new(getpid());
	write_map("w", "1000 10 planted\n");
	if (chown(path, 12345, 12345))
		SKIP("cannot give it away");
	jitmap_poll(m);
	CHECK_EQ(jitmap_count(m), 0);
	jitmap_free(m);
}

static const char *function(const char *name)
{
	static char out[JIT_NAME_MAX];

	jit_function_name(name, out);
	return out;
}

static unsigned polled(void)
{
	struct jitmap *m = jitmap_new(getpid());
	unsigned n;

	jitmap_poll(m);
	n = jitmap_count(m);
	jitmap_free(m);
	return n;
}

TEST(what_is_no_plain_file_is_not_read)
{
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	unlink(path); /* it may have been given to somebody else */
	write_map("w", "1000 10 name\n");
	CHECK_EQ(polled(), 1);
	CHECK_EQ(rename(path, "/tmp/jit_test.other"), 0);
	CHECK_EQ(symlink("/tmp/jit_test.other", path), 0);
	CHECK_EQ(polled(), 0);
	unlink(path);
	CHECK_EQ(mkfifo(path, 0600), 0);
	CHECK_EQ(polled(), 0);
	unlink(path);
	CHECK_EQ(rename("/tmp/jit_test.other", path), 0);
	if (truncate(path, (off_t)2 << 40) == 0)
		CHECK_EQ(polled(), 0);
}

TEST(names_of_functions)
{
	CHECK_STR(function("JS:*hotAdd /x/hot.js:1:16"), "hotAdd /x/hot.js:1:16");
	CHECK_STR(function("LazyCompile:~run /x.js:3"), "run /x.js:3");
	CHECK_STR(function("int Shop.add(int, int)"), "Shop.add");
	CHECK_STR(function("int32 [App] Ns.Shop::add(int32)[Tier0]"), "Ns.Shop.add");
	CHECK_STR(function("py::f:/x.py"), "f /x.py");
	CHECK_STR(function("Interpreter"), "Interpreter");
	CHECK_STR(function("(odd)"), "(odd)");
}

TEST(names_of_python)
{
	char out[JIT_NAME_MAX];

	jit_function_name("py::Shop.sell:/x.py", out);
	CHECK(!strcmp(out, "Shop.sell /x.py"));
	CHECK(jit_matches("py::Shop.sell:/x.py", "Shop.sell"));
	CHECK(jit_matches("py::add:<frozen abc>", "add"));
	CHECK(!jit_matches("py::add:<frozen abc>", "abc"));
}

TEST(patterns_mean_code_by_any_of_its_names)
{
	CHECK(jit_matches("JS:*hotAdd /x.js:1:16", "*hotAdd*"));
	CHECK(jit_matches("JS:*hotAdd /x.js:1:16", "hotAdd"));
	CHECK(jit_matches("JS:*hotAdd /x.js:1:16", "JS?\\*hotAdd*"));
	CHECK(!jit_matches("JS:*hotAdd /x.js:1:16", "hotAd"));
	CHECK(jit_matches("int Shop.add(int, int)", "Shop.add"));
}

static size_t add_record(char *to, uint32_t id, const uint64_t *words, size_t nwords,
			 const char *name)
{
	uint32_t head[2] = {id, (uint32_t)(16 + 8 * nwords + (name ? strlen(name) + 1 : 0))};

	memset(to, 0, head[1]);
	memcpy(to, head, sizeof(head));
	memcpy(to + 16, words, 8 * nwords);
	if (name)
		memcpy(to + 16 + 8 * nwords, name, strlen(name));
	return head[1];
}

TEST(jitdump_is_found_by_its_mapping)
{
	const uint32_t header[10] = {0x4a695444, 1, 40, 62};
	const uint64_t load[] = {0, 0x1000, 0x1000, 0x20, 1},
		       move[] = {0, 0, 0x1000, 0x3000, 0x20, 1};
	char file[4096] = "", name[64];
	struct jitmap *m = jitmap_new(getpid());
	size_t n = sizeof(header);
	FILE *f;
	void *page;

	unlink(path);
	memcpy(file, header, sizeof(header));
	n += add_record(file + n, 0, load, 5, "dumped one");
	n += add_record(file + n, 1, move, 6, NULL);
	snprintf(name, sizeof(name), "/tmp/jit-%d.dump", getpid());
	f = fopen(name, "w+");
	if (!f)
		SKIP("cannot write %s", name);
	fwrite(file, 1, n - 4, f);
	fflush(f);
	page = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(f), 0);
	unlink(path);
	if (page == MAP_FAILED) {
		unlink(name);
		SKIP("files in /tmp cannot be mapped executable");
	}
	jitmap_poll(m);
	CHECK_STR(at(m, 0x1010), "dumped one");
	CHECK_STR(at(m, 0x3010), "none"); /* not all of it was there */
	fwrite(file + n - 4, 1, 4, f);
	fclose(f);
	jitmap_poll(m);
	unlink(name);
	munmap(page, 4096);
	CHECK_STR(at(m, 0x3010), "dumped one");
	jitmap_free(m);
}

TEST_MAIN();
