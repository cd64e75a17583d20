// throws: C++ exceptions through frames that are probed. `./throws N` throws 2 N times and prints
// "deep N", "caught N" and "bad N", what went wrong. Ends with 0.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

static unsigned long deeps, caughts, bad, unwound;

struct guard {
	~guard()
	{
		unwound++;
	}
};

extern "C" __attribute__((noinline, noclone)) long deep(long depth)
{
	guard g;

	deeps++;
	if (depth == 0)
		throw std::runtime_error("deep");
	return deep(depth - 1) + 1;
}

// Catches what it can and throws it on.
extern "C" __attribute__((noinline, noclone)) long caught(long depth)
{
	caughts++;
	try {
		return deep(depth);
	} catch (const std::logic_error &) {
		bad++;
	} catch (const std::runtime_error &) {
		throw;
	}
	return 0;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? std::atol(argv[1]) : 100;

	for (long i = 0; i < n; i++) {
		try {
			bad += caught(9) != -1;
		} catch (const std::exception &) {
		}
		try {
			deep(0);
			bad++;
		} catch (...) {
		}
	}
	bad += unwound != deeps || caughts != (unsigned long)n;
	std::printf("caught %lu\ndeep %lu\nbad %lu\n", caughts, deeps, bad);
	return 0;
}
