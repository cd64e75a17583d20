/*
 * hookfloor: what hooks cannot go below on this machine: the instructions that any hook needs,
 * written by hand around a tiny function. Prints "NAME NANOSECONDS", more than the function takes.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

#define ROUNDS 15
#define CALLS  2000000L
#define RING   (1UL << 18)

__thread uint64_t distance __attribute__((tls_model("local-exec")));
static uint64_t cells[2], ring[RING / 8 + 8], head, buckets[64], slots[16];

typedef long tiny_fn(long, const char *);

/* A function whose first instruction is replaced by a jump to `trampoline`, which jumps back. */
#define HOOKED(name, trampoline, end)                                                              \
	tiny_fn name;                                                                              \
	__asm__(".text\n.balign 64\n.globl " #name "\n" #name ": jmp 1f\n"                         \
		"2: cmp $1, %rsi\n sbb $-1, %rax\n " end "\n"                                      \
		".pushsection .text.trampolines, \"ax\"\n.balign 64\n"                             \
		"1: " trampoline "\n mov %rdi, %rax\n jmp 2b\n.popsection\n")
#define COUNT(cell)                                                                                \
	"push %rax\n mov %fs:distance@tpoff, %rax\n incq 8 * " cell "(%rax)\n pop %rax\n"

HOOKED(not_hooked, "", "ret");
tiny_fn plain;
__asm__(".balign 64\n.globl plain\nplain: mov %rdi, %rax\n cmp $1, %rsi\n sbb $-1, %rax\n ret\n");
HOOKED(counted, COUNT("0"), "ret");
HOOKED(counted_twice, COUNT("0"),
       "jmp 3f\n.pushsection .text.trampolines, \"ax\"\n.balign 64\n3: " COUNT(
	       "1") "ret\n.popsection");

static inline void record(long arg, uint64_t time)
{
	uint64_t *to = &ring[head % RING / 8];

	to[0] = 1;
	to[1] = time;
	to[2] = (uint64_t)arg;
	to[3] = 0;
	__asm__ volatile("" : : : "memory");
	head += 32;
}

static long untimed(long x, const char *text)
{
	record(x, 0);
	return not_hooked(x, text);
}

static long timed(long x, const char *text)
{
	record(x, __rdtsc());
	return not_hooked(x, text);
}

static long timed_pair(long x, const char *text)
{
	uint64_t start = __rdtsc();
	long r = counted(x, text);

	buckets[63 - __builtin_clzll((__rdtsc() - start) | 1)]++;
	return r;
}

static long keyed(long x, const char *text)
{
	slots[((uint64_t)x * 0x9e3779b97f4a7c15ULL >> 40) & 15]++;
	__asm__ volatile("" : : : "memory");
	return not_hooked(x, text);
}

static double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/* The quickest of several rounds; inlined, so that what is no function costs no call. */
static inline __attribute__((always_inline)) double quickest(tiny_fn *fn, double best)
{
	double start = now_ns();
	long sum = 0;

	for (long i = 0; i < CALLS; i++)
		sum = fn(sum & 1023, "text");
	__asm__ volatile("" : : "r"(sum));
	start = (now_ns() - start) / (double)CALLS;
	return start < best ? start : best;
}

int main(void)
{
	static const char *const names[] = {"call",  "jumps",  "count", "count twice",
					    "keyed", "record", "timed", "timed pair"};
	double ns[8];

	distance = (uintptr_t)cells;
	for (int i = 0; i < 8; i++)
		ns[i] = 1e9;
	for (int round = 0; round < ROUNDS; round++) {
		ns[0] = quickest(plain, ns[0]);
		ns[1] = quickest(not_hooked, ns[1]);
		ns[2] = quickest(counted, ns[2]);
		ns[3] = quickest(counted_twice, ns[3]);
		ns[4] = quickest(keyed, ns[4]);
		ns[5] = quickest(untimed, ns[5]);
		ns[6] = quickest(timed, ns[6]);
		ns[7] = quickest(timed_pair, ns[7]);
	}
	for (int i = 0; i < 8; i++)
		printf("%s %.2f\n", names[i], i ? ns[i] - ns[0] : ns[0]);
	return 0;
}
