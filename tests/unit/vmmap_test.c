/* Maps of a process, and where slots find room in them. */
#include "tracer/procfs/vmmap.h"

#include <unistd.h>

#include "tests/unit/test.h"

#define MIB 0x100000ULL
#define GIB 0x40000000ULL

static const struct vma *find(const struct vmmap *m, taddr_t at)
{
	return vmmap_at(m, at);
}

TEST(our_own_map)
{
	struct vmmap m = {0};
	int on_stack;
	const struct vma *v;

	CHECK_EQ(vmmap_read(&m, getpid()), 0);
	v = find(&m, (taddr_t)(uintptr_t)&find);
	CHECK(v && v->exec && !v->write && v->ino && strstr(v->path, "vmmap_test"));
	v = find(&m, (taddr_t)(uintptr_t)&on_stack);
	CHECK(v && v->write && !v->exec && !v->shared);
	CHECK_STR(v->path, "[stack]");
	CHECK(!find(&m, 0));
	CHECK(vmmap_read(&m, -1) < 0);
	vmmap_release(&m);
}

static bool is_free(const struct vmmap *m, taddr_t at, uint64_t size)
{
	for (size_t i = 0; i < m->n; i++)
		if (at < m->v[i].end && at + size > m->v[i].start)
			return false;
	return true;
}

static void check_gap(struct vma *v, size_t n, taddr_t near, bool below)
{
	struct vmmap m = {.v = v, .n = n};
	taddr_t at = vmmap_gap(&m, near, MIB);

	CHECK(at);
	CHECK_EQ(at % 4096, 0);
	CHECK(is_free(&m, at, MIB));
	CHECK_EQ(at < near, below);
	CHECK((at < near ? near - at : at + MIB - near) < 2 * GIB);
}

TEST(below_a_program_at_a_fixed_address)
{
	struct vma v[] = {{.start = 0x400000, .end = 0x402000},
			  {.start = 0x1000000, .end = 0x1100000},
			  {.start = 0x7ffff7000000, .end = 0x7ffff8000000}};

	check_gap(v, 3, 0x400000, true);
}

TEST(above_when_there_is_no_room_below)
{
	struct vma v[] = {{.start = 0x10000, .end = 0x402000},
			  {.start = 0x7ffff7000000, .end = 0x7ffff8000000}};

	check_gap(v, 2, 0x400000, false);
}

TEST(far_below_libraries_where_new_mappings_do_not_come)
{
	struct vma v[] = {{.start = 0x555555554000, .end = 0x555555558000},
			  {.start = 0x7ffff7000000, .end = 0x7ffff7200000},
			  {.start = 0x7ffff7210000, .end = 0x7ffff8000000}};
	struct vmmap m = {.v = v, .n = 3};

	check_gap(v, 3, 0x7ffff7400000, true);
	CHECK(0x7ffff7000000 - vmmap_gap(&m, 0x7ffff7400000, MIB) > GIB);
}

TEST(alone_in_the_midst_of_others)
{
	struct vma v[] = {{.start = 0x7fffb0000000, .end = 0x7fffd7400000}, /* 500 MiB below it */
			  {.start = 0x7ffff7400000, .end = 0x7ffff7600000}};
	const struct vmmap m = {.v = v, .n = ARRAY_SIZE(v)};
	taddr_t at = vmmap_lonely_gap(&m, 0x7ffff7400000, MIB);

	CHECK(at > 0x7ffff7600000 + GIB / 2 || at + MIB < 0x7fffb0000000);
	CHECK(MAX(at, 0x7ffff7400000) - MIN(at, 0x7ffff7400000) < 2 * GIB);
	for (unsigned i = 0; i < m.n; i++)
		CHECK(at >= v[i].end + 8 * MIB || at + 9 * MIB <= v[i].start);
}

TEST(nothing_within_reach)
{
	struct vma v[] = {{.start = 0x10000, .end = 0x400000000}};
	struct vmmap m = {.v = v, .n = 1};

	CHECK_EQ(vmmap_gap(&m, 0x200000000, MIB), 0);
}

TEST_MAIN();
