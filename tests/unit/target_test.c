/* A process, or what was recorded of one, as an address space. */
#include "base/target.h"

#include "tests/unit/test.h"

static void learn(struct target *t, uint64_t time_ns)
{
	t->aspace = (uint32_t)time_ns;
}

TEST(what_was_recorded_has_the_address_space_of_its_process)
{
	struct target process = {.aspace = 3, .learn = learn}, still = {.aspace = 7};
	struct target recorded = {.now = &process};

	CHECK_EQ(target_aspace(&still, 5), 7);
	CHECK_EQ(target_aspace(&recorded, 5), 5);
	CHECK_EQ(recorded.aspace, 5);
	CHECK_EQ(process.aspace, 5);
	recorded.now = &still;
	CHECK_EQ(target_aspace(&recorded, 6), 7);
	recorded.now = NULL;
	CHECK_EQ(target_aspace(&recorded, 6), 7);
}

TEST_MAIN();
