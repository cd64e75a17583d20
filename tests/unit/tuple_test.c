/* Arrays of all threads (hook/tuple.h): threads that take, change and free rows at the same time.
 */
#include "hook/tuple.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/base.h"
#include "tests/unit/test.h"

#define THREADS 4
#define ROUNDS	100000
#define KEYS	6 /* that all threads use, and that have the same first row; */
#define OWN	3 /* of each thread alone */
#define BITS	HOOK_USED_BITS
#define ARRAY	HOOK_TUPLES(0, 2, BITS)

static char *memory;
static uint64_t keys[KEYS];

struct worker {
	pthread_t thread;
	struct tuples t;
	uint64_t stamp, seed, sums[KEYS], own[OWN];
	unsigned number, nwrong;
};

static unsigned below(struct worker *w, unsigned max)
{
	w->seed = w->seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned)(w->seed >> 40) % max;
}

/* They are free again half of the time. */
static void add_one(struct worker *w)
{
	static const struct tuple_type type = {8, true};
	unsigned k = below(w, KEYS);
	uint64_t by = w->sums[k] && below(w, 2) ? -w->sums[k] : 1 + below(w, 3);
	const struct tuple key = {(const uint64_t[]){keys[k], 5}, 2};

	if (tuple_add(&w->t, &key, by, type))
		w->sums[k] += by;
}

static void use_own(struct worker *w)
{
	unsigned k = below(w, OWN);
	const struct tuple key = {(const uint64_t[]){keys[k], 100 + w->number}, 2};
	uint64_t value = below(w, 3) ? below(w, 1000) : 0;
	struct hook_pair seen;

	tuple_find(&w->t, &key, &seen);
	w->nwrong += seen.value != w->own[k];
	if (tuple_store(&w->t, &key, value))
		w->own[k] = value;
}

static void *work(void *arg)
{
	struct worker *w = arg;

	for (unsigned i = 0; i < ROUNDS; i++)
		if (below(w, 2))
			add_one(w);
		else
			use_own(w);
	return NULL;
}

static void choose_keys(const struct tuples *t)
{
	unsigned n = 0;

	for (uint64_t key = 0; n < KEYS; key++) {
		const struct tuple two = {(const uint64_t[]){key, 5}, 2};

		if ((tuple_hash(&two) & t->mask) == 77)
			keys[n++] = key;
	}
}

struct found {
	uint64_t values[KEYS];
	unsigned n[KEYS];
};

static void find(void *arg, const struct hook_pair *row, uint64_t value)
{
	struct found *f = arg;

	for (unsigned k = 0; k < KEYS; k++)
		if (row[1].key == keys[k] && row[2].key == 5) {
			f->values[k] = value;
			f->n[k]++;
		}
}

TEST(nothing_is_lost_that_threads_add_at_the_same_time)
{
	struct worker workers[THREADS] = {{.number = 0}};
	struct found f = {.n = {0}};

	memory = aligned_alloc(64, HOOK_TUPLES_SIZE(2, BITS));
	memset(memory, 0, HOOK_TUPLES_SIZE(2, BITS));
	for (unsigned i = 0; i < THREADS; i++) {
		struct worker *w = &workers[i];

		w->stamp = (uint64_t)(i + 1) << 44;
		w->t = tuples_of_all(memory, ARRAY, &w->stamp);
		w->seed = w->number = i;
		choose_keys(&w->t);
	}
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(!pthread_create(&workers[i].thread, NULL, work, &workers[i]));
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(workers[i].thread, NULL);
	tuple_each(&workers[0].t, find, &f);
	for (unsigned k = 0; k < KEYS; k++) {
		uint64_t sum = 0;

		for (unsigned i = 0; i < THREADS; i++)
			sum += workers[i].sums[k];
		CHECK(f.n[k] <= 1);
		CHECK_EQ(f.values[k], sum);
	}
	for (unsigned i = 0; i < THREADS; i++)
		CHECK_EQ(workers[i].nwrong, 0);
	free(memory);
}

/* A number of that type. */
TEST(a_sum_is_cut_to_its_type)
{
	CHECK_EQ(tuple_cut(255, (struct tuple_type){1, true}), UINT64_MAX);
	CHECK_EQ(tuple_cut(256 + 7, (struct tuple_type){1, false}), 7);
	CHECK_EQ(tuple_cut(UINT64_MAX, (struct tuple_type){4, false}), UINT32_MAX);
	CHECK_EQ(tuple_cut(1ULL << 31, (struct tuple_type){4, true}), -(1ULL << 31));
	CHECK_EQ(tuple_cut(UINT64_MAX, (struct tuple_type){8, true}), UINT64_MAX);
}

TEST_MAIN();
