/*
 * types: a program with variables, structures and functions of all kinds for the tests of types and
 * symbols. `./types` calls each function once.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))

enum color { RED, GREEN = 5, BLUE };

typedef struct {
	short x, y;
} point_t;

struct node {
	int value;
	char tag;
	char name[8];
	struct node *next;
	const char *text;
	unsigned low : 3, high : 5;
	int minus : 4;
	enum color color;
	union {
		long whole;
		unsigned char bytes[8];
	};
	point_t points[2];
	int (*call)(int);
	double real;
	bool flag;
};

struct pair {
	long a, b;
};
struct mixed {
	long a;
	double b;
};
struct large {
	long v[5];
};
struct small {
	char c;
	short s;
};
struct hidden;
typedef uint32_t id32_t;

NOINLINE int twice(int x)
{
	return 2 * x;
}

static struct node second = {.value = 2, .tag = 'b', .name = "two", .color = BLUE};
struct node first = {.value = 1,
		     .tag = 'a',
		     .name = "one",
		     .next = &second,
		     .text = "a text",
		     .low = 5,
		     .high = 17,
		     .minus = -3,
		     .color = GREEN,
		     .whole = 0x1122334455667788,
		     .points = {{1, -2}, {3, 4}},
		     .call = twice,
		     .real = 1.5,
		     .flag = true};
int counter = 42;
long double wide_float = 0.125L;
static volatile long file_static = -7;
struct node *head = &first;
struct pair table[4] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
char text[] = "in an array";
__thread int per_thread = 9;
struct hidden *opaque;

NOINLINE struct node *find(struct node *list, const char *name, enum color color)
{
	__asm__ volatile("" ::"r"(name), "r"(color));
	return list->next;
}

NOINLINE char narrow(signed char a, unsigned short b, bool c, id32_t d)
{
	return (char)(a + b + c + (int)d);
}

NOINLINE struct pair sum_pairs(struct pair p, struct small s)
{
	return (struct pair){p.a + p.b, s.c + s.s};
}

NOINLINE struct large grow(struct large l, int by)
{
	l.v[0] += by;
	return l;
}

NOINLINE double scale(double by, int x, float more, long y)
{
	return by * x + (double)more * (double)y;
}

NOINLINE long eleven(long a, long b, long c, long d, long e, long f, long g, long h, long i, int j,
		     short k)
{
	return a + b + c + d + e + f + g + h + i + j + k;
}

NOINLINE double combine(struct mixed m, point_t p)
{
	return (double)m.a + m.b + p.x;
}

typedef int vector4_t __attribute__((vector_size(16)));
typedef int vector8_t __attribute__((vector_size(32)));

NOINLINE long double wide(long double a, __int128 b, vector4_t c)
{
	return a + (long double)b + (long double)c[1];
}

__attribute__((target("avx"), used)) static int wider(vector8_t v)
{
	return v[0];
}

NOINLINE void nothing(void)
{
	static int calls = 30;
	static long same_name = 1;

	calls++;
	same_name += calls;
	__asm__ volatile("" ::"r"(same_name));
}

NOINLINE long another(void)
{
	static long same_name = 2;

	return same_name++;
}

int main(void)
{
	double d;
	long n = 0;

	n += find(head, "who", BLUE)->value;
	n += narrow(-1, 65535, true, 4000000000U);
	n += sum_pairs((struct pair){10, 20}, (struct small){3, -4}).b;
	n += grow((struct large){{1, 2, 3, 4, 5}}, 100).v[0];
	d = scale(2.0, 3, 1.0F, 4);
	n += eleven(1, 2, 3, 4, 5, 6, 7, 8, 9, -10, -11);
	d += combine((struct mixed){1, 2.0}, (point_t){7, -8});
	d += (double)wide(1.5L, -2, (vector4_t){10, 20, 30, 40});
	nothing();
	per_thread += (int)another();
	nothing();
	counter += (int)file_static;
	printf("%ld %g %d\n", n + twice(1), d, per_thread + (opaque != NULL));
	return 0;
}
