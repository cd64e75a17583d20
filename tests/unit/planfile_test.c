/* What is kept from run to run: it is what would be found out, or it is not used. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/cache/cachefile.h"
#include "inject/x86/plans.h"
#include "inject/x86/planfile.h"
#include "tests/unit/test.h"

enum { BOTH = PLAN_ENTRY | PLAN_RETURN };

static struct objfile *libc; /* with a build-id, and not changed lately */
static char home[] = "/tmp/planfile_test.XXXXXX";
static int folder = -1;

static void clean_up(void)
{
	char path[sizeof(home) + 16];

	cachefile_bound(folder, 0);
	close(folder);
	objfile_close(libc);
	snprintf(path, sizeof(path), "%s/dtrace", home);
	rmdir(path);
	rmdir(home);
}

static void set_up(void)
{
	struct err err;
	Dl_info info;

	if (libc)
		return;
	CHECK(dladdr((void *)(uintptr_t)qsort, &info));
	CHECK(mkdtemp(home) != NULL);
	atexit(clean_up);
	setenv("XDG_CACHE_HOME", home, 1);
	CHECK_EQ(cachefile_folder(false), -1);
	folder = cachefile_folder(true);
	CHECK(folder >= 0);
	CHECK_EQ(objfile_open(open(info.dli_fname, O_RDONLY), info.dli_fname, &libc, &err), 0);
}

static struct plans *all_planned(int from)
{
	struct plans *all = plans_new(libc, from);
	struct codescan *scan = plans_scan(all);

	for (unsigned i = 0; i < libc->nfuncs; i++)
		free(plans_function(all, scan, i, BOTH).windows);
	codescan_free(scan);
	return all;
}

/* The one file in the folder. */
static int open_kept(int flags)
{
	char command[128], path[512];
	FILE *f;
	int fd;

	snprintf(command, sizeof(command), "ls -d %s/dtrace/plans-*", home);
	f = popen(command, "r");
	CHECK(f && fgets(path, sizeof(path), f));
	pclose(f);
	path[strcspn(path, "\n")] = '\0';
	fd = open(path, flags);
	CHECK(fd >= 0);
	return fd;
}

static void keep(void)
{
	struct plans *all;

	set_up();
	all = all_planned(-1);
	plans_keep(all, folder);
	plans_free(all);
}

static bool is_same_plan(const struct plan *a, const struct plan *b)
{
	return a->kinds == b->kinds && a->nwindows == b->nwindows &&
	       a->keeps_flags_and_redzone == b->keeps_flags_and_redzone &&
	       !memcmp(a->windows, b->windows, a->nwindows * sizeof(*a->windows));
}

static bool is_used(void)
{
	struct planfile *f = planfile_open(folder, libc);
	struct codescan *scan = f ? planfile_scan(f) : NULL;
	bool is = scan || (f && planfile_nplans(f));

	codescan_free(scan);
	planfile_close(f);
	return is;
}

TEST(what_was_kept_is_what_would_be_found_out)
{
	struct codescan *fresh, *kept;
	struct planfile *f;
	unsigned n = 0;

	keep();
	fresh = codescan_new(libc);
	f = planfile_open(folder, libc);
	CHECK(f != NULL);
	if (!f)
		return;
	kept = planfile_scan(f);
	CHECK(kept != NULL);
	for (unsigned i = 0; i < libc->nfuncs; i++) {
		struct plan p, q = plan_function(fresh, i, BOTH);

		if (q.kinds == BOTH && planfile_plan(f, i, BOTH, &p)) {
			CHECK(is_same_plan(&p, &q));
			free(p.windows);
			n++;
		}
		free(q.windows);
	}
	CHECK(n > 100);
	CHECK_EQ(n, planfile_nplans(f));
	CHECK_EQ(kept->lo, fresh->lo);
	CHECK_EQ(kept->ncalls, fresh->ncalls);
	CHECK(!memcmp(kept->calls, fresh->calls, fresh->ncalls * sizeof(*fresh->calls)));
	CHECK(!memcmp(kept->funcs, fresh->funcs, libc->nfuncs * sizeof(*fresh->funcs)));
	for (taddr_t at = fresh->lo; at < fresh->hi; at++)
		CHECK(codescan_is_target(kept, at) == codescan_is_target(fresh, at) &&
		      codescan_is_inner(kept, at) == codescan_is_inner(fresh, at) &&
		      codescan_may_be_part(kept, at) == codescan_may_be_part(fresh, at));
	codescan_free(fresh);
	codescan_free(kept);
	planfile_close(f);
}

TEST(what_is_changed_or_cut_is_not_used)
{
	unsigned char byte;
	struct stat st;
	int fd;

	keep();
	fd = open_kept(O_RDWR);
	fstat(fd, &st);
	for (off_t at = 0; at < st.st_size; at += 1 + st.st_size / 100) {
		CHECK_EQ(pread(fd, &byte, 1, at), 1);
		byte ^= 1;
		CHECK_EQ(pwrite(fd, &byte, 1, at), 1);
		CHECK(!is_used());
		byte ^= 1;
		CHECK_EQ(pwrite(fd, &byte, 1, at), 1);
	}
	for (off_t size = 0; size < st.st_size; size = 2 * size + 100) {
		CHECK_EQ(ftruncate(fd, st.st_size - size - 1), 0);
		CHECK(!is_used());
	}
	CHECK_EQ(ftruncate(fd, 0), 0);
	CHECK(!is_used());
	close(fd);
}

TEST(what_others_may_have_written_is_not_used)
{
	char link[sizeof(home) + 32], path[sizeof(home) + 32];
	int fd;

	keep();
	fd = open_kept(O_RDONLY);
	fchmod(fd, 0622);
	CHECK(!is_used());
	fchmod(fd, 0600);
	CHECK(is_used());
	close(fd);
	snprintf(path, sizeof(path), "%s/dtrace", home);
	CHECK_EQ(chmod(path, 0777), 0);
	CHECK_EQ(cachefile_folder(true), -1);
	CHECK_EQ(chmod(path, 0700), 0);
	snprintf(link, sizeof(link), "%s/dtrace/link", home);
	CHECK_EQ(symlink("/proc/self/exe", link), 0);
	CHECK(cachefile_read(folder, "link", 1 << 30, &(size_t){0}) == NULL);
	unlink(link);
}

TEST(what_was_used_least_lately_goes_first)
{
	static const char text[1000];
	const struct iovec part = {(void *)(uintptr_t)text, sizeof(text)};
	const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
	struct stat st;
	size_t n = 0;
	void *data;

	set_up();
	for (char name[] = "a"; *name <= 'e'; ++*name)
		CHECK_EQ(cachefile_write(folder, name, &part, 1), 0);
	utimensat(folder, "b", old, 0);
	utimensat(folder, "d", old, 0);
	data = cachefile_read(folder, "d", sizeof(text), &n); /* is used: now */
	CHECK_EQ(n, sizeof(text));
	free(data);
	CHECK(cachefile_read(folder, "d", sizeof(text) - 1, &n) == NULL);
	CHECK_EQ(cachefile_write(folder, ".new-1", &part, 1), 0);
	utimensat(folder, ".new-1", old, 0);
	cachefile_bound(folder, 1 << 30);
	CHECK(fstatat(folder, "b", &st, 0) == 0 && fstatat(folder, ".new-1", &st, 0) < 0);
	fstatat(folder, "a", &st, 0);
	cachefile_bound(folder, 0);
	CHECK(fstatat(folder, "d", &st, 0) < 0 && fstatat(folder, "a", &st, 0) < 0);
	for (char name[] = "a"; *name <= 'e'; ++*name)
		CHECK_EQ(cachefile_write(folder, name, &part, 1), 0);
	utimensat(folder, "b", old, 0);
	cachefile_bound(folder, 4 * sizeof(text));
	CHECK(fstatat(folder, "b", &st, 0) < 0 && fstatat(folder, "a", &st, 0) == 0);
	cachefile_bound(folder, 0);
}

TEST_MAIN();
