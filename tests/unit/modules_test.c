#include "symbols/modules.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/test.h"

/* The test's own process is the process that is looked at. */
static struct objcache *cache;
static struct modules *self(void)
{
	struct modules *ms;
	struct err err;

	if (!cache)
		cache = objcache_new();
	ms = modules_new(cache);
	if (modules_refresh(ms, getpid(), &err))
		TEST_FAIL("%s", err.text);
	return ms;
}

static struct module *match_one(const struct modules *ms, const char *pattern)
{
	struct module *m = NULL;

	CHECK_EQ(modules_match(ms, pattern, &m, 1), 1);
	return m;
}

TEST(the_program_is_a_out)
{
	struct modules *ms = self();
	struct module *m = match_one(ms, "a.out");
	struct objfile *o = module_objfile(m, NULL);
	const struct func *f = NULL;

	CHECK(m == modules_program(ms));
	CHECK_STR(m->name, "modules_test");
	CHECK(o != NULL);
	CHECK_EQ(objfile_find(o, "self", &f, 1), 1);
	CHECK_EQ(f->addr + m->bias, (taddr_t)(uintptr_t)self);
	CHECK(modules_at(ms, (taddr_t)(uintptr_t)self) == m);
	modules_free(ms);
}

TEST(a_library_by_any_initial_part)
{
	struct modules *ms = self();
	struct module *m = match_one(ms, "libc.so.6");

	CHECK_STR(m->name, "libc.so.6");
	CHECK(match_one(ms, "libc") == m);
	CHECK(match_one(ms, "libc.so") == m);
	CHECK(match_one(ms, m->path) == m);
	CHECK(match_one(ms, "libc.so.*") == m);
	CHECK(match_one(ms, "/*/libc.so.?") == m);
	CHECK_EQ(modules_match(ms, "lib", NULL, 0), 0);
	CHECK_EQ(modules_match(ms, "libc.so.6.", NULL, 0), 0);
	CHECK(modules_match(ms, "", NULL, 0) >= 2);
	CHECK_EQ(modules_match(ms, "*", NULL, 0), modules_match(ms, "", NULL, 0));
	modules_free(ms);
}

TEST(a_function_of_libc_is_where_the_loader_put_it)
{
	struct modules *ms = self();
	struct module *m = match_one(ms, "libc");
	const struct func *f = NULL;

	CHECK_EQ(objfile_find(module_objfile(m, NULL), "getppid", &f, 1), 1);
	CHECK_EQ(f->addr + m->bias, (taddr_t)(uintptr_t)dlsym(RTLD_DEFAULT, "getppid"));
	modules_free(ms);
}

static void shell(const char *cmd)
{
	if (system(cmd))
		SKIP("cannot run: %s", cmd);
}

TEST(libraries_come_and_go)
{
	char lib[64], cmd[512];
	struct modules *ms = self();
	struct module *m;
	void *dl;

	snprintf(lib, sizeof(lib), "/tmp/libcomes%d.so.1", getpid());
	snprintf(cmd, sizeof(cmd),
		 "echo 'int comes(void){return 1;}' | gcc -xc -shared -fPIC -o %s -", lib);
	shell(cmd);
	dl = dlopen(lib, RTLD_NOW);
	CHECK(dl != NULL);
	match_one(ms, "libc")->fresh = false;
	CHECK_EQ(modules_refresh(ms, getpid(), NULL), 0);
	m = match_one(ms, lib);
	CHECK(m->fresh && !m->gone);
	CHECK(!match_one(ms, "libc")->fresh);
	m->fresh = false;
	CHECK_EQ(modules_refresh(ms, getpid(), NULL), 0);
	CHECK(!m->fresh && !m->gone);
	dlclose(dl);
	unlink(lib);
	CHECK_EQ(modules_refresh(ms, getpid(), NULL), 0);
	CHECK(m->gone);
	CHECK_EQ(modules_match(ms, lib, NULL, 0), 0);
	modules_free(ms);
}

/* An address-sanitized program has its own ideas of libraries; this one is plain. */
TEST(a_file_replaced_under_its_process)
{
	char lib[64], cmd[512];
	struct modules *ms = self();
	const struct func *f = NULL;
	struct objfile *o;
	struct err err = {0};
	void *dl;

	snprintf(lib, sizeof(lib), "/tmp/libold%d.so", getpid());
	snprintf(cmd, sizeof(cmd),
		 "echo 'int old(void){return 1;}' | gcc -xc -shared -fPIC -o %s -", lib);
	shell(cmd);
	dl = dlopen(lib, RTLD_NOW);
	CHECK(dl != NULL);
	snprintf(cmd, sizeof(cmd), "cp %s %s.new && mv %s.new %s", lib, lib, lib, lib);
	shell(cmd);
	CHECK_EQ(modules_refresh(ms, getpid(), NULL), 0);
	o = module_objfile(match_one(ms, lib), &err);
	if (o) /* through map_files, with privilege: the mapped file itself */
		CHECK_EQ(objfile_find(o, "old", &f, 1), 1);
	else
		CHECK(strstr(err.text, "was replaced or deleted since process") != NULL);
	dlclose(dl);
	unlink(lib);
	modules_free(ms);
}

static void map_code(const char *path)
{
	int fd = open(path, O_RDONLY);

	CHECK(fd >= 0);
	CHECK(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) != MAP_FAILED);
	close(fd);
}

static bool has_function(struct modules *ms, const char *lib, const char *name)
{
	const struct func *f;
	struct objfile *o = module_objfile(match_one(ms, lib), NULL);

	return o && objfile_find(o, name, &f, 1) == 1;
}

/* The same file, by device and inode, with other functions: who has looked at it keeps what he
 * knows of it, and who looks at it later sees what it is by then. */
TEST(a_file_rewritten_in_place)
{
	char lib[64], cmd[512];
	struct modules *before, *after;

	snprintf(lib, sizeof(lib), "/tmp/librewritten%d.so", getpid());
	snprintf(cmd, sizeof(cmd),
		 "echo 'int old(void){return 1;}' | gcc -xc -shared -fPIC -o %s -", lib);
	shell(cmd);
	map_code(lib);
	before = self();
	CHECK(has_function(before, lib, "old"));
	snprintf(cmd, sizeof(cmd),
		 "echo 'int new(void){return 1;}' | gcc -xc -shared -fPIC -o %s.new - && "
		 "cat %s.new >%s && rm %s.new",
		 lib, lib, lib, lib);
	shell(cmd);
	after = self();
	CHECK(!has_function(after, lib, "old"));
	CHECK(has_function(after, lib, "new"));
	CHECK(has_function(before, lib, "old"));
	unlink(lib);
	modules_free(before);
	modules_free(after);
}

TEST(a_process_that_is_gone)
{
	struct modules *ms = self();
	struct err err;
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	CHECK_EQ(modules_refresh(ms, pid, &err), -ESRCH);
	CHECK(match_one(ms, "libc") != NULL); /* the list is as before */
	modules_free(ms);
}

TEST_MAIN();
