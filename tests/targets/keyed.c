/* keyed N [NAME]: N system calls lseek, each to another place; as many writes of 0, 1, ... 99, 0,
 * ... bytes; 5 times close(-1); then it calls itself NAME ("renamed") and seeks 7 times more.
 * Prints what it has written in all. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1000;
	int null = open("/dev/null", O_RDWR), file = open("/proc/self/exe", O_RDONLY);
	char bytes[100] = "";
	long sum = 0;

	for (int i = 0; i < n; i++) {
		lseek(file, i, SEEK_SET);
		sum += write(null, bytes, (size_t)(i % 100));
	}
	for (int i = 0; i < 5; i++)
		close(-1);
	prctl(PR_SET_NAME, argc > 2 ? argv[2] : "renamed");
	for (int i = 0; i < 7; i++)
		lseek(file, 0, SEEK_CUR);
	printf("%ld\n", sum);
	return 0;
}
