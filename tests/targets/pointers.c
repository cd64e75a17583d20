/*
 * pointers: calls visit(node, text) with pointers to the stack, the heap, constants and nowhere;
 * what they point to is changed right after each call. With an argument: under a filter of system
 * calls (seccomp) that kills for process_vm_readv. Prints the number of calls.
 */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct node {
	int n;
	const char *name;
	struct node *next;
	char text[24];
};

static unsigned long calls;

__attribute__((noinline, noclone, noipa)) const char *visit(struct node *p, const char *text)
{
	calls++;
	return p ? p->text : text;
}

static void filter(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {sizeof(code) / sizeof(code[0]), code};

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
}

/* A string that ends where the mapping does; one that does not end before it. */
static char *at_the_edge(size_t n)
{
	char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(p + 4096, 4096);
	memset(p, 'e', 4096);
	return p + 4096 - n;
}

int main(int argc, char **argv)
{
	struct node *b = calloc(1, sizeof(*b)), a = {1, "first", b, "inline a"};
	char *heap = strdup("heap string"), *edge = at_the_edge(300);

	if (argc > 1 && !strcmp(argv[1], "self")) { /* the filter is there before anybody looks */
		filter();
		execl("/proc/self/exe", argv[0], "filtered", (char *)NULL);
	}
	b->n = 2;
	b->name = strdup("second");
	strcpy(b->text, "inline b");
	for (int i = 0; i < 3; i++) {
		char text[32];

		snprintf(text, sizeof(text), "stack %d", i);
		visit(&a, text);
		memset(text, 'x', sizeof(text));
		a.n++;
	}
	visit(b, heap);
	memset(heap, 'x', 5);
	visit(b, (const char *)16);
	visit(NULL, "constant");
	visit(b, edge);
	edge[299] = '\0';
	visit(b, edge);
	visit(b, edge + 295);
	printf("%lu\n", calls);
	return 0;
}
