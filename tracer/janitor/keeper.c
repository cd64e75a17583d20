/*
 * keeper.c: the list that the kernel goes through has a node for each word, all of them at the same
 * distance from it (struct robust_list_head of linux/futex.h). The nodes are ours alone, a target
 * could lead the kernel astray: so both have a row of pages, one of memory of our own, one of the
 * targets' pages mapped once more.
 */
#include "tracer/janitor/keeper.h"

#include <linux/futex.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/base.h"

#define WORDS 1024 /* the kernel goes no further than ROBUST_LIST_LIMIT, 2048 */

static struct keeper {
	struct robust_list_head head;
	char *nodes, *words; /* WORDS pages each; nodes NULL: not begun */
	size_t off;	     /* of the words in their pages */
	bool is_taken[WORDS];
	bool has_failed;
	pid_t tid;
} keeper;

static struct robust_list *node_of(unsigned i)
{
	return (struct robust_list *)(void *)(keeper.nodes + (size_t)i * PAGE);
}

static void reserve(char *at, size_t size, int prot)
{
	mmap(at, size, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

static bool begin(size_t off)
{
	size_t size = (size_t)WORDS * PAGE;
	void *p =
		mmap(NULL, 2 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return false;
	keeper.words = (char *)p + size;
	keeper.off = off;
	keeper.tid = gettid();
	keeper.head.list.next = &keeper.head.list;
	keeper.head.futex_offset = (long)(size + off);
	reserve(p, size, PROT_READ | PROT_WRITE);
	keeper.nodes = p;
	return syscall(SYS_set_robust_list, &keeper.head, sizeof(keeper.head)) == 0;
}

static unsigned free_number(void)
{
	for (unsigned i = 1; i < WORDS; i++)
		if (!keeper.is_taken[i])
			return i;
	return 0;
}

unsigned keeper_add(void *page, size_t off)
{
	uint32_t *word = (uint32_t *)(void *)((char *)page + off);
	unsigned number;

	if (!keeper.nodes && !keeper.has_failed)
		keeper.has_failed = !begin(off);
	number = keeper.has_failed || gettid() != keeper.tid ? 0 : free_number();
	/* of a shared mapping a second one, as mremap(2) makes where the old size is 0 */
	if (!number || mremap(page, 0, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
			      keeper.words + (size_t)number * PAGE) == MAP_FAILED)
		return 0;
	keeper.is_taken[number] = true;
	node_of(number)->next = keeper.head.list.next;
	__atomic_store_n(&keeper.head.list.next, node_of(number), __ATOMIC_SEQ_CST);
	__atomic_store_n(word, (uint32_t)keeper.tid, __ATOMIC_SEQ_CST);
	return number;
}

void keeper_remove(unsigned number)
{
	struct robust_list *at = &keeper.head.list;

	if (!number)
		return;
	while (at->next != node_of(number))
		at = at->next;
	__atomic_store_n(&at->next, node_of(number)->next, __ATOMIC_SEQ_CST);
	reserve(keeper.words + (size_t)number * PAGE, PAGE, PROT_NONE);
	keeper.is_taken[number] = false;
}

void keeper_end(pid_t pid)
{
	static struct keeper theirs; /* at the same address: a copy by fork */
	struct iovec from = {&keeper, sizeof(keeper)}, to = {&theirs, sizeof(theirs)};
	uint32_t none = 0;
	struct iovec zero = {&none, sizeof(none)};

	if (process_vm_readv(pid, &to, 1, &from, 1, 0) != sizeof(theirs))
		return;
	for (unsigned i = 1; i < WORDS; i++) {
		struct iovec word = {theirs.words + i * PAGE + theirs.off, sizeof(none)};

		if (theirs.is_taken[i])
			process_vm_writev(pid, &zero, 1, &word, 1, 0);
	}
}
