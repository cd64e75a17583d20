// unwinds: C++ exceptions in every way through frames that are hooked. `./unwinds N` does each N
// times: caught by the immediate caller, 50 frames up, thrown on at each tenth frame, one inside
// another, thrown and caught in destructors that run meanwhile, carried to another thread, and past
// a noexcept function, in a child whose terminate handler ends it. Prints "FUNCTION CALLS RETURNS"
// for each function whose calls it knows, "right" or what went wrong last. Ends with 0.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#define NOINLINE extern "C" __attribute__((noinline, noclone))
#define CHECK(what)                                                                                \
	do {                                                                                       \
		if (!(what)) {                                                                     \
			std::printf("wrong: line %d: %s\n", __LINE__, #what);                      \
			wrong = true;                                                              \
		}                                                                                  \
	} while (0)

static bool wrong;
static volatile long destroyed;

// Its destructor is a function like any other, and works with exceptions of its own.
struct guard {
	__attribute__((noinline)) ~guard();
};

NOINLINE void throws_inside(long x)
{
	throw x;
}

guard::~guard()
{
	destroyed = destroyed + 1;
	try {
		throws_inside(destroyed);
	} catch (long x) {
		CHECK(x == destroyed);
	}
}

NOINLINE void throws_at_once(long x)
{
	throw std::runtime_error(std::to_string(x));
}

NOINLINE long goes_down(long depth)
{
	guard g;

	if (depth == 0)
		throws_at_once(4711);
	if (depth % 10)
		return goes_down(depth - 1) + 1;
	try {
		return goes_down(depth - 1) + 1;
	} catch (const std::logic_error &) {
		return 0;
	} catch (...) {
		throw;
	}
}

NOINLINE void nests(long x)
{
	try {
		throws_at_once(x);
	} catch (...) {
		std::throw_with_nested(std::logic_error("outer"));
	}
}

NOINLINE void may_not_throw() noexcept
{
	throws_at_once(1);
}

static void nested(long i)
{
	bool saw = false;

	try {
		nests(i);
	} catch (const std::logic_error &outer) {
		try {
			std::rethrow_if_nested(outer);
		} catch (const std::runtime_error &inner) {
			saw = inner.what() == std::to_string(i);
		}
	}
	CHECK(saw);
}

static void carried()
{
	std::exception_ptr carried;
	std::thread t([&] {
		try {
			goes_down(3);
		} catch (...) {
			carried = std::current_exception();
		}
	});

	t.join();
	try {
		std::rethrow_exception(carried);
	} catch (const std::runtime_error &e) {
		CHECK(std::string(e.what()) == "4711");
		return;
	}
	CHECK(false);
}

static void terminated()
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		std::set_terminate([] { _exit(7); });
		may_not_throw();
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? std::atol(argv[1]) : 10;

	for (long i = 0; i < n; i++) {
		bool caught = false;

		try {
			throws_at_once(i);
		} catch (const std::exception &e) {
			caught = e.what() == std::to_string(i);
		}
		CHECK(caught);
		caught = false;
		try {
			goes_down(50);
		} catch (const std::exception &) {
			caught = true;
		}
		CHECK(caught);
		nested(i);
		carried();
		if (i % 10 == 0)
			terminated();
	}
	CHECK(destroyed == n * (51 + 4));
	std::printf("goes_down %ld 0\nnests %ld 0\nthrows_at_once %ld 0\nthrows_inside %ld 0\n",
		    n * (51 + 4), n, 4 * n, n * (51 + 4));
	std::puts(wrong ? "something is wrong" : "right");
	return 0;
}
