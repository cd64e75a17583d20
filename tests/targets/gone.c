/*
 * gone N: N times maps a page with a text, calls take() with it twice, unmaps it, and calls take()
 * with it once more. take() reads nothing. Prints what a handler of SIGSEGV has seen, and whether
 * SIGSEGV is blocked still, which it is meanwhile where N is odd.
 *
 * gone wait: maps such a page, and says "ready". At the first line of its input it calls take() a
 * thousand times, and says "taken"; at the second it unmaps the page, does that again, and says
 * "done"; at the third it ends.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIZE 4096

static volatile sig_atomic_t nseen;

__attribute__((noinline, noclone)) int take(const char *text, long n)
{
	__asm__ volatile("" : : "r"(text), "r"(n) : "memory");
	return n != 0;
}

static void seen(int sig)
{
	nseen = nseen + 1;
	signal(sig, SIG_DFL);
}

static char *map(void)
{
	char *page = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		exit(1);
	strcpy(page + 64, "a text that will be gone");
	return page;
}

static void say(const char *word)
{
	puts(word);
	fflush(stdout);
}

static void hear(void)
{
	char line[80];

	if (!fgets(line, sizeof(line), stdin))
		exit(1);
}

static void take_often(const char *text)
{
	for (int i = 0; i < 1000; i++)
		take(text, i);
}

static int wait_for_lines(void)
{
	char *page = map();

	say("ready");
	hear();
	take_often(page + 64);
	say("taken");
	hear();
	munmap(page, SIZE);
	take_often(page + 64);
	say("done");
	hear();
	return 0;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	sigset_t all;

	if (argc > 1 && strcmp(argv[1], "wait") == 0)
		return wait_for_lines();
	sigfillset(&all);
	if (n % 2)
		sigprocmask(SIG_BLOCK, &all, NULL);
	else
		signal(SIGSEGV, seen);
	for (long i = 0; i < n; i++) {
		char *page = map();

		take(page + 64, 1);
		take(page + 64, 1);
		munmap(page, SIZE);
		take(page + 64, 2);
	}
	sigprocmask(SIG_BLOCK, NULL, &all);
	printf("seen %d, blocked %d\n", (int)nseen, sigismember(&all, SIGSEGV));
	return 0;
}
