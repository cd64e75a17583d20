/* getppids N [THREADS]: N system calls getppid, and as many in each of so many threads more. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_THREADS 64

static void *make_calls(void *arg)
{
	for (long n = *(long *)arg; n > 0; n--)
		syscall(SYS_getppid);
	return NULL;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1;
	int nthreads = argc > 2 ? atoi(argv[2]) : 0;
	pthread_t threads[MAX_THREADS];

	if (nthreads > MAX_THREADS)
		return 2;
	for (int i = 0; i < nthreads; i++)
		if (pthread_create(&threads[i], NULL, make_calls, &n) != 0)
			return 1;
	make_calls(&n);
	for (int i = 0; i < nthreads; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
