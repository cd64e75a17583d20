/* Code that is jumped to by an address that is computed: of our own, written as assembly. */
#include "inject/x86/scanslots.h"

#include <fcntl.h>
#include <stdlib.h>

#include "inject/x86/retplan.h"
#include "inject/x86/scan.h"
#include "tests/unit/test.h"

/* clang-format off */
#define FUNCTION(name, body)                                                                       \
	".p2align 5\n.type " name ", @function\n" name ":\n" body "\n.size " name ", .-" name "\n"
__asm__(".text\n"
	FUNCTION("slots_of_eight", "lea 1f(%rip), %r11\n movzbl %cl, %r10d\n lea (%r11,%r10,8), %r10\n"
				   "jmp *%r10\n .p2align 3\n 1: ret\n .p2align 3\n movzbl %al, %eax\n ret\n"
				   ".p2align 3\n mov %rax, 8(%rsi)\n mov %eax, %eax\n inc %eax\n ret")
	FUNCTION("slots_added", "lea 1f(%rip), %rdx\n shl $3, %rdi\n add %rdi, %rdx\n jmp *%rdx\n"
				".p2align 3\n 1: inc %eax\n inc %eax\n inc %eax\n ret\n ud2")
	FUNCTION("slots_far", "lea 1f(%rip), %rdx\n lea (%rdx,%rdi,4), %rdx\n .rept 9\n inc %eax\n .endr\n"
			      "jmp *%rdx\n .p2align 3\n 1: inc %eax\n inc %eax\n inc %eax\n ret\n ud2")
	FUNCTION("slots_none", "lea (%rdx,%rdi,8), %rax\n inc %eax\n inc %eax\n ret\n 1: jmp *%rax\n ud2")
	FUNCTION("slots_outside", "lea slots_none(%rip), %rdx\n inc %eax\n inc %eax\n inc %eax\n jmp *%rdx\n"
				  "ret"));
/* clang-format on */

static struct objfile *self;
static struct codescan *scan;

static const struct func *find(const char *name)
{
	const struct func *f[2];
	struct err err;

	if (!self) {
		CHECK_EQ(objfile_open(open("/proc/self/exe", O_RDONLY | O_CLOEXEC), "self", &self,
				      &err),
			 0);
		scan = codescan_new(self);
	}
	CHECK_EQ(objfile_find(self, name, f, 2), 1);
	return f[0];
}

static const struct scanned *scanned(const char *name)
{
	const struct func *f = find(name);

	return &scan->funcs[f - self->funcs];
}

TEST(each_slot_is_jumped_to)
{
	const struct func *f = find("slots_of_eight");
	unsigned ntargets = 0;

	for (unsigned off = 1; off < f->size; off++) {
		bool is_target = codescan_is_target(scan, f->addr + off);

		CHECK_EQ(is_target, off >= 24 && off % 8 == 0);
		ntargets += is_target;
	}
	CHECK_EQ(ntargets, 4); /* the third one reaches into what would be a fourth */
	CHECK(!scanned("slots_of_eight")->is_lost);
}

TEST(an_address_that_is_computed_in_another_way_may_be_that_of_any_instruction)
{
	CHECK(scanned("slots_added")->is_lost);
	CHECK(scanned("slots_far")->is_lost);
}

TEST(what_has_no_label_of_its_own_jumps_to_none)
{
	CHECK(!scanned("slots_none")->is_lost);
	CHECK(!scanned("slots_outside")->is_lost);
	CHECK(!codescan_is_target(scan, find("slots_none")->addr + 8));
}

TEST_MAIN();
