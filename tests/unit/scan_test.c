/* Where a file's code jumps to: of our own, written as assembly. */
#include "inject/x86/scan.h"

#include <fcntl.h>
#include <stdlib.h>

#include "tests/unit/test.h"

/* clang-format off */
__asm__(".text\n.p2align 5\n.type scan_unreachable, @function\nscan_unreachable:\n"
	"lea 1f(%rip), %rdx\n movslq (%rdx,%rdi,4), %rax\n add %rdx, %rax\n jmp *%rax\n"
	"2: xor %eax, %eax\n xor %edx, %edx\n 3: ret\n"
	"4:\n.size scan_unreachable, .-scan_unreachable\n nop\n"
	".section .rodata\n .p2align 2\n 1: .long 2b-1b, 4b-1b, 4b-1b, 3b-1b, 0x7fffffff\n .text\n");
__asm__(".p2align 5\n.type scan_transaction, @function\nscan_transaction:\n"
	"xor %ecx, %ecx\n 1: inc %ecx\n cmp $7, %ecx\n ja 2f\n xbegin 1b\n xabort $3\n"
	"2: lea (%rdi,%rcx), %eax\n ret\n.size scan_transaction, .-scan_transaction\n");
/* clang-format on */

/* clang fills a table with the end of the function where its source says that nothing leads there.
 */
TEST(a_table_goes_on_behind_what_leads_to_the_end_of_the_function)
{
	struct objfile *self;
	const struct func *f[2];
	struct codescan *scan;
	struct err err;

	CHECK_EQ(objfile_open(open("/proc/self/exe", O_RDONLY | O_CLOEXEC), "self", &self, &err),
		 0);
	scan = codescan_new(self);
	CHECK_EQ(objfile_find(self, "scan_unreachable", f, 2), 1);
	CHECK(codescan_is_target(scan, f[0]->addr + f[0]->size - 5));
	CHECK(codescan_is_target(scan, f[0]->addr + f[0]->size - 1));
	CHECK(!codescan_is_target(scan, f[0]->addr + f[0]->size));
	codescan_free(scan);
}

/* No jump would do where a transaction that aborts goes on. */
TEST(a_transaction_that_aborts_jumps)
{
	struct objfile *self;
	const struct func *f[2];
	struct codescan *scan;
	struct err err;

	CHECK_EQ(objfile_open(open("/proc/self/exe", O_RDONLY | O_CLOEXEC), "self", &self, &err),
		 0);
	scan = codescan_new(self);
	CHECK_EQ(objfile_find(self, "scan_transaction", f, 2), 1);
	CHECK(codescan_is_target(scan, f[0]->addr + 2));
	CHECK(!codescan_is_target(scan, f[0]->addr + 4));
	codescan_free(scan);
}

TEST_MAIN();
