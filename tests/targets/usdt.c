/*
 * usdt.c: static probes with operands of every kind, written by hand: `usdt N` fires each of them N
 * times. `usdt N wait` reads a byte from standard input before each round and says each time what
 * its semaphore is; `usdt N fork` has a child do the second half.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "note.h"

/* The labels of this file's notes are local: each asm statement is assembled behind the last. */
uint16_t shop_open_semaphore __attribute__((section(".probes"), used));
uint16_t shop_late_semaphore __attribute__((section(".probes"), used));

int32_t table[4] __attribute__((used)) = {10, -11, 12, 13};
uint8_t bytes[4] __attribute__((used)) = {200, 201, 202, 203};
const char *const goods[] = {"apple", "pear", "fig"};

/* Constants, and symbols. */
static __attribute__((noinline)) void constants(void)
{
	__asm__ volatile(NOTE("shop", "constants", "0",
			      "4@$7 -4@$-7 1@$-1 -1@$-1 2@$65535 -2@$65535 8@$-1 -8@$-1 $12"));
	__asm__ volatile(NOTE("shop", "symbols", "0",
			      "-4@table(%rip) -4@4+table(%rip) -4@table+12(%rip) 1@bytes(%rip) "
			      "-1@1+bytes(%rip) 4@nosuch(%rip) 4f@%xmm0"));
}

/* Registers: what stands above the size is not of the value. */
static __attribute__((noinline)) void registers(uint64_t v)
{
	__asm__ volatile(
		"mov %0, %%r10\n"
		"mov %0, %%rbx\n" NOTE(
			"shop", "registers", "0",
			"8@%%rbx 4@%%ebx -4@%%ebx 2@%%bx -2@%%bx 1@%%bl -1@%%bl 1@%%bh 8@%%r10 "
			"-4@%%r10d")::"r"(v)
		: "rbx", "r10");
}

static __attribute__((noinline)) void memory(uint64_t i)
{
	__asm__ volatile(
		"mov %0, %%r12\nlea table(%%rip), %%rbx\n" NOTE(
			"shop", "memory", "0",
			"-4@(%%rbx,%%r12,4) -4@4(%%rbx,%%r12,4) -4@8(%%rbx) 8@0(%%r12)")::"r"(i)
		: "rbx", "r12", "memory");
}

/* One probe of two locations in a function; the name has a dash in D. */
static __attribute__((noinline)) void sell(long i, const char *what)
{
	if (i % 2 == 0)
		__asm__ volatile(NOTE("shop", "sell__it", "0", "-8@%%rdi 8@%%rsi")::"D"(i),
				 "S"(what));
	else
		__asm__ volatile(NOTE("shop", "sell__it", "0", "8@%%rsi -8@%%rdi")::"S"(i),
				 "D"(what));
}

static __attribute__((noinline)) int open_shop(void)
{
	__asm__ volatile(
		NOTE("shop", "open", "shop_open_semaphore", "8@shop_open_semaphore(%rip)"));
	return *(volatile uint16_t *)&shop_open_semaphore;
}

static void round_of(long i)
{
	constants();
	registers(0x8182838485868788 + (uint64_t)i);
	memory((uint64_t)i % 2);
	sell(i, goods[i % 3]);
	printf("open %d\n", open_shop());
	fflush(stdout);
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1;
	const char *how = argc > 2 ? argv[2] : "";

	for (long i = 0; i < n; i++) {
		if (!strcmp(how, "wait") && getchar() == EOF)
			break;
		if (!strcmp(how, "fork") && i == n / 2) {
			pid_t pid = fork();

			if (pid) {
				waitpid(pid, NULL, 0);
				return 0;
			}
		}
		round_of(i);
	}
	return 0;
}
