/*
 * lazy: loads a library, calls a function of it and unloads it. `./lazy N` does so N times, three
 * calls each; prints "ns_get16 N". Ends with 0.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	static const unsigned char bytes[] = {1, 2};
	long n = argc > 1 ? atol(argv[1]) : 1;
	unsigned long calls = 0;

	for (long i = 0; i < n; i++) {
		void *lib = dlopen("libresolv.so.2", RTLD_NOW);
		unsigned (*get)(const unsigned char *);

		if (!lib)
			return 3;
		*(void **)&get = dlsym(lib, "ns_get16");
		for (int k = 0; get && k < 3; k++, calls++)
			if (get(bytes) != 258)
				return 4;
		dlclose(lib);
	}
	printf("ns_get16 %lu\n", calls);
	return 0;
}
