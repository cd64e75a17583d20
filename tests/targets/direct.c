/*
 * direct: a tiny function that counts its own calls, and all ways to come to it. `./direct` waits
 * for numbers on its standard input: each way is gone so many times. Then it prints "f CALLS", and
 * of each instruction that leads to f by a distance whether the distance is still the file's: "WAY
 * own" or "WAY other".
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

extern volatile long f_calls;
extern const uint8_t f[], f_behind[];
extern const uint8_t call_site[], wide_site[], jump_site[], branch_site[], first_site[],
	data_site[];

/* clang-format off */
#define FUNCTION(name, body)                                                                       \
	".p2align 5\n.globl " name "\n.type " name ", @function\n" name ":\n" body ".size " name ", .-" name "\n"
__asm__(".local f_calls\n.comm f_calls, 8, 8\n.text\n"
	FUNCTION("f", "endbr64\n f_behind: incq f_calls(%rip)\n lea 1(%rdi), %rax\n ret\n")
	FUNCTION("by_call", "push %rbx\n mov %rdi, %rbx\n add $0, %rbx\n call f\n call_site: pop %rbx\n ret\n")
	FUNCTION("by_wide_call", "push %rbx\n mov %rdi, %rbx\n add $0, %rbx\n .byte 0x67, 0xe8\n .long f - wide_site\n wide_site: pop %rbx\n ret\n")
	FUNCTION("by_jump", "lea -1(%rdi), %rdi\n add $1, %rdi\n .byte 0xe9\n .long f - jump_site\n jump_site: ud2\n")
	FUNCTION("by_branch", "add $1, %rdi\n sub $1, %rdi\n test %rsp, %rsp\n .byte 0x0f, 0x85\n .long f - branch_site\n branch_site: ud2\n ud2\n ud2\n")
	/* the call is replaced by the hook of this function, if there is one */
	FUNCTION("by_first_call", "call f\n first_site: nop\n nop\n ret\n")
	FUNCTION("by_pointer", "lea f(%rip), %rax\n jmp *%rax\n")
	/* behind the first instruction: that is no call of f, and counted by f alone */
	FUNCTION("by_second", "push %rbx\n mov %rdi, %rbx\n add $0, %rbx\n call f_behind\n pop %rbx\n ret\n")
	/* looks like a call, but is read as a number */
	FUNCTION("by_none", "jmp 1f\n .byte 0xe8\n .long f - data_site\n data_site:\n"
			    "1: movslq data_site-4(%rip), %rax\n lea data_site(%rip), %rdx\n add %rdx, %rax\n ret\n"));
/* clang-format on */

long by_call(long), by_wide_call(long), by_jump(long), by_branch(long), by_first_call(long);
long by_pointer(long), by_second(long), by_none(long);

static const struct way {
	const char *name;
	long (*go)(long);
	const uint8_t *end; /* of the instruction; NULL: it has no distance */
	int is_call;
} ways[] = {
	{"call", by_call, call_site, 1},
	{"wide_call", by_wide_call, wide_site, 1},
	{"jump", by_jump, jump_site, 1},
	{"branch", by_branch, branch_site, 1},
	{"first_call", by_first_call, first_site, 1},
	{"pointer", by_pointer, NULL, 1},
	{"second", by_second, NULL, 1},
	{"none", by_none, data_site, 0},
};
#define NWAYS (sizeof(ways) / sizeof(ways[0]))

static void go(const struct way *w, long n)
{
	for (long i = 0; i < n; i++) {
		long want = w->is_call ? i + 1 : (long)(intptr_t)f;

		if (w->go(i) != want) {
			printf("%s of %ld is wrong\n", w->name, i);
			return;
		}
	}
}

static void tell(const struct way *w)
{
	int32_t distance;

	memcpy(&distance, w->end - sizeof(distance), sizeof(distance));
	printf("%s %s\n", w->name, w->end + distance == f ? "own" : "other");
}

int main(void)
{
	long n;

	puts("ready");
	fflush(stdout);
	while (scanf("%ld", &n) == 1) {
		for (unsigned i = 0; i < NWAYS; i++)
			go(&ways[i], n);
		printf("f %ld\n", f_calls);
		for (unsigned i = 0; i < NWAYS; i++)
			if (ways[i].end)
				tell(&ways[i]);
		puts("done");
		fflush(stdout);
	}
	return 0;
}
