#include "symbols/symbols.h"

#include <dlfcn.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "symbols/modules.h"
#include "tests/unit/test.h"

static struct arena arena;

static struct aspaces *new_aspaces(void)
{
	struct err err;

	if (arena_init_shared(&arena, (size_t)64 << 20, &err))
		TEST_FAIL("%s", err.text);
	return aspaces_new(&arena);
}

static struct aspace_range range(taddr_t start, taddr_t end, uint64_t from_ns, const char *label)
{
	return (struct aspace_range){
		.start = start, .end = end, .from_ns = from_ns, .label = label};
}

static const char *label_at(const struct aspaces *as, uint32_t id, taddr_t pc, uint64_t time_ns)
{
	struct aspace_range r;

	return aspace_at(as, id, pc, time_ns, &r) ? r.label : NULL;
}

TEST(an_address_means_what_was_there_at_the_time)
{
	struct aspaces *as = new_aspaces();
	uint32_t id = aspace_new(as, 1, 0), other = aspace_new(as, 2, 0);
	struct aspace_range a = range(0x1000, 0x2000, 100, "[a]");
	struct aspace_range b = range(0x1000, 0x3000, 300, "[b]");

	CHECK(id != ASPACE_NONE && id != other);
	aspace_add(as, id, &a);
	aspace_del(as, id, 0x1800, 0x1801, 200);
	aspace_add(as, id, &b);
	CHECK_STR(label_at(as, id, 0x1000, 150), "[a]");
	CHECK_STR(label_at(as, id, 0x1fff, 300), "[b]");
	CHECK_STR(label_at(as, id, 0x1fff, UINT64_MAX), "[b]");
	CHECK_STR(label_at(as, id, 0x1000, 210), "[a]"); /* neither: the nearer one */
	CHECK_STR(label_at(as, id, 0x1000, 290), "[b]");
	CHECK_STR(label_at(as, id, 0x1000, 0), "[a]");
	CHECK(label_at(as, id, 0x3000, 300) == NULL);
	CHECK(label_at(as, other, 0x1000, 150) == NULL);
	CHECK(label_at(as, ASPACE_NONE, 0x1000, 150) == NULL);
	CHECK(label_at(as, 99, 0x1000, 150) == NULL);
}

TEST(a_thousand_ranges)
{
	struct aspaces *as = new_aspaces();
	uint32_t id = aspace_new(as, 1, 0);

	for (unsigned i = 0; i < 1000; i++) {
		struct aspace_range r =
			range(i * 0x1000, (i + 1) * 0x1000, i, i % 2 ? "[odd]" : "");

		aspace_add(as, id, &r);
	}
	CHECK_STR(label_at(as, id, 0x1001, UINT64_MAX), "[odd]");
	CHECK_STR(label_at(as, id, 999 * 0x1000, UINT64_MAX), "[odd]");
	CHECK_STR(label_at(as, id, 998 * 0x1000, UINT64_MAX), "");
}

static void check_name(struct symres *sr, uint32_t id, const void *pc, uint64_t time_ns,
		       const char *object, const char *function, uint64_t offset)
{
	struct symname name;

	symres_lookup(sr, id, (taddr_t)(uintptr_t)pc, time_ns, &name);
	CHECK_STR(name.object, object);
	CHECK_STR(name.function, function);
	CHECK_EQ(name.offset, offset);
}

static void *address(void *fn, size_t offset)
{
	return (char *)fn + offset;
}

/* Found by the vdso's own symbols, independently of the resolver. */
static void *vdso_function(void)
{
	struct objfile *o;
	const struct func *f;
	char *image = (char *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	int fd = memfd_create("vdso", 0);
	void *addr = NULL;

	CHECK_EQ(write(fd, image, 8192) > 4096, 1);
	CHECK_EQ(objfile_open(fd, "vdso", &o, NULL), 0);
	if (objfile_find(o, "__vdso_clock_getres", &f, 1) == 1)
		addr = image + f->addr;
	objfile_close(o);
	return addr;
}

/* As in real life: the engine records, the front, another process, resolves. */
TEST(the_front_names_what_the_engine_recorded)
{
	struct aspaces *as = new_aspaces();
	uint32_t id = aspace_new(as, getpid(), 0);
	pid_t parent = getpid(), engine;
	struct symres *sr;
	int status;

	fflush(stdout);
	engine = fork();
	if (!engine) {
		struct objcache *cache = objcache_new();
		struct modules *ms = modules_new(cache);

		if (modules_refresh(ms, parent, NULL))
			_exit(1);
		modules_record(ms, as, id, 10);
		modules_record(ms, as, id, 20); /* nothing changed: nothing ends */
		_exit(0);
	}
	waitpid(engine, &status, 0);
	CHECK_EQ(status, 0);
	sr = symres_new(as);
	for (int again = 0; again < 2; again++) {
		check_name(sr, id, address(new_aspaces, 3), 15, "symres_test", "new_aspaces", 3);
		check_name(sr, id, dlsym(RTLD_DEFAULT, "getppid"), 30, "libc.so.6", "getppid", 0);
		check_name(sr, id, NULL, 30, NULL, NULL, 0);
		check_name(sr, id, vdso_function(), 30, "[vdso]", "clock_getres", 0);
	}
	symres_free(sr);
}

/* The library is gone, unmapped and deleted, when its name is asked for. */
TEST(names_outlive_their_files)
{
	char lib[64], cmd[256], *name;
	int ends[2];
	struct aspaces *as = new_aspaces();
	struct objcache *cache = objcache_new();
	struct modules *ms = modules_new(cache);
	uint32_t id = aspace_new(as, getpid(), 0);
	struct symres *sr = symres_new(as);
	void *dl, *fn;

	CHECK_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	aspaces_set_socket(as, ends[0], ends[1]);
	snprintf(lib, sizeof(lib), "/tmp/libgone%d.so", getpid());
	snprintf(cmd, sizeof(cmd),
		 "echo 'int gone(void){return 1;}' | gcc -xc -shared -fPIC -o %s -", lib);
	if (system(cmd))
		SKIP("cannot run: %s", cmd);
	dl = dlopen(lib, RTLD_NOW);
	CHECK(dl != NULL);
	fn = dlsym(dl, "gone");
	modules_refresh(ms, getpid(), NULL);
	modules_record(ms, as, id, 100);
	dlclose(dl);
	unlink(lib);
	modules_refresh(ms, getpid(), NULL);
	modules_record(ms, as, id, 200);
	modules_free(ms);
	objcache_free(cache);
	name = strrchr(lib, '/') + 1;
	check_name(sr, id, address(fn, 1), 150, name, "gone", 1);
	symres_free(sr);
	close(ends[0]);
	close(ends[1]);
}

TEST_MAIN();
