/* Debug information: what is asked of it is answered or not; types that come out can be printed. */
#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/dwarf/dwarf_priv.h"

static void use_type(struct dwarf_types *dt, const struct type *t, unsigned depth)
{
	const struct type *plain;
	char text[256];

	if (!t)
		abort();
	type_name(t, text, sizeof(text));
	dwarf_is_by_address(dt, t);
	plain = type_resolve(t);
	if (plain->kind == TYPE_FORWARD && dwarf_complete(dt, plain))
		plain = type_resolve(plain);
	for (unsigned i = 0; i < plain->nmembers && depth < 4; i++) {
		const struct type_member *m = &plain->members[i];
		uint64_t bits = m->bits ? m->bits : 8 * type_size(m->type);

		if (m->bit_offset > 8 * plain->size || bits > 8 * plain->size - m->bit_offset)
			abort(); /* it does not lie within the structure */
		use_type(dt, m->type, depth + 1);
	}
	if (plain->ref && depth < 4)
		use_type(dt, plain->ref, depth + 1);
}

static void ask(struct dwarf *d, struct dwarf_types *dt)
{
	static const char *const types[] = {"struct s", "union u", "enum e",	 "t",
					    "int",	"cls",	   "struct only"};
	static const char *const vars[] = {"var", "per_thread", "count", "_ZN2ns6memberE"};
	struct dwarf_func f;
	struct dwarf_var v;
	bool is_only;

	for (unsigned i = 0; i < ARRAY_SIZE(types); i++) {
		const struct type *t = dwarf_type(d, types[i]);

		if (t)
			use_type(dt, t, 0);
	}
	for (unsigned i = 0; i < ARRAY_SIZE(vars); i++) {
		if (dwarf_variable(d, vars[i], 0, &v))
			use_type(dt, v.type, 0);
		if (dwarf_static(d, vars[i], &v, &is_only))
			use_type(dt, v.type, 0);
	}
	for (unsigned i = 0; i < d->nfuncs && i < 100; i++) {
		if (!dwarf_function(d, d->funcs[i].addr, &f))
			continue;
		use_type(dt, f.result, 0);
		for (unsigned k = 0; k < f.nparams; k++)
			use_type(dt, f.params[k].type, 0);
	}
}

/* ---- two files that belong together (seeds.sh) ---- */

static char dir[] = "/dev/shm/fuzz_dwarf.XXXXXX"; /* in memory: written for each input */
static const char *const second_names[] = {"p.dwp", "f/p.dwo", "f/q.dwo", "f/common"};

static void remove_dir(void)
{
	char path[64];

	for (unsigned i = 0; i < ARRAY_SIZE(second_names); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, second_names[i]);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/f", dir);
	rmdir(path);
	rmdir(dir);
}

static const char *in_dir(unsigned i)
{
	static char path[2][64];

	snprintf(path[!!i], sizeof(path[0]), "%s/%s", dir, second_names[i]);
	return path[!!i];
}

/* One file, by all of the names. */
static void make_dir(void)
{
	char path[64];

	if (!mkdtemp(dir))
		abort();
	atexit(remove_dir);
	snprintf(path, sizeof(path), "%s/f", dir);
	if (mkdir(path, 0700) || close(creat(in_dir(0), 0600)))
		abort();
	for (unsigned i = 1; i < ARRAY_SIZE(second_names); i++)
		if (link(in_dir(0), in_dir(i)))
			abort();
}

/* A root directory where what the first file may name is the second one. */
static int root_with(const uint8_t *data, size_t n)
{
	static bool is_made;
	int fd;

	if (!is_made)
		make_dir();
	is_made = true;
	fd = open(in_dir(0), O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0 || write(fd, data, n) != (ssize_t)n || close(fd))
		abort();
	return open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static void read_one(const uint8_t *data, size_t n, const uint8_t *second, size_t nsecond)
{
	struct dwarf_types *dt;
	struct dwarf *d;
	struct arena arena;
	struct intern intern;
	struct types types;
	int fd = memfd_create("fuzz_dwarf", 0), root;

	if (fd < 0 || write(fd, data, n) != (ssize_t)n)
		abort();
	arena_init(&arena);
	intern_init(&intern, &arena);
	types_init(&types, &arena, &intern, 256);
	dt = dwarf_types_new(&types);
	if (dwarf_open(fd, "file", dt, &d, NULL) == 0) {
		if (second) {
			root = root_with(second, nsecond);
			dwarf_set_place(d, "/p", root);
			close(root);
		}
		ask(d, dt);
		dwarf_close(d);
	}
	dwarf_types_free(dt);
	types_release(&types);
	intern_release(&intern);
	arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	uint32_t first;

	if (n < 8 || memcmp(data, "TWO", 4) != 0) {
		read_one(data, n, NULL, 0);
		return 0;
	}
	memcpy(&first, data + 4, sizeof(first));
	data += 8;
	n -= 8;
	first = (uint32_t)MIN(first, n);
	read_one(data, first, data + first, n - first);
	return 0;
}
