/* threads N: N threads, one after the other; each has ended before the next begins. */
#include <pthread.h>
#include <stdlib.h>

static void *nothing(void *arg)
{
	return arg;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t t;

	while (n-- > 0) {
		if (pthread_create(&t, NULL, nothing, NULL))
			return 1;
		pthread_join(t, NULL);
	}
	return 0;
}
