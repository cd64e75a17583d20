/* pmcsource_test.c: names of counters, intervals, scaling. */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "providers/machine/pmcsource.h"
#include "tests/unit/test.h"

TEST(names_of_three_systems)
{
	static const struct {
		const char *name, *means;
		uint32_t type;
		uint64_t config;
	} rows[] = {
		{"page-faults", "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
		{"cs", "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
		{"InstructionRetired", "instructions", PERF_TYPE_HARDWARE,
		 PERF_COUNT_HW_INSTRUCTIONS},
		{"branchmispredictions", "branch-misses", PERF_TYPE_HARDWARE,
		 PERF_COUNT_HW_BRANCH_MISSES},
		{"PAPI_tot_cyc", "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
		{"L1-dcache-load-misses", "L1-dcache-load-misses", PERF_TYPE_HW_CACHE, 0x10000},
		{"dTLB-stores", "dTLB-stores", PERF_TYPE_HW_CACHE, 0x103},
		{"r1a8", "r1a8", PERF_TYPE_RAW, 0x1a8},
		{"context_switches", "context-switches", PERF_TYPE_SOFTWARE,
		 PERF_COUNT_SW_CONTEXT_SWITCHES},
		{"L1_dcache_LOAD_misses", "L1-dcache-load-misses", PERF_TYPE_HW_CACHE, 0x10000},
		{"PAPI-l3-stm", "LLC-store-misses", PERF_TYPE_HW_CACHE, 0x10102},
		{"PAPI_res_stl", "stalled-cycles-backend", PERF_TYPE_HARDWARE,
		 PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
	};

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pmc_source src;

		CHECK(pmc_source_find(rows[i].name, &src));
		CHECK_STR(src.name, rows[i].means);
		CHECK_EQ(src.type, rows[i].type);
		CHECK_EQ(src.config, rows[i].config);
	}
}

TEST(no_names)
{
	static const char *const names[] = {"",
					    "-",
					    "pages",
					    "r",
					    "rx",
					    "r1a8z",
					    "LLC",
					    "LLC-",
					    "r11111111111111111",
					    "page-faults ",
					    "page_fault",
					    "page_faults_",
					    "pageXfaults"};
	struct pmc_source src;

	for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
		CHECK(!pmc_source_find(names[i], &src));
}

TEST(intervals)
{
	struct pmc_source src;
	enum pmc_mode mode;
	struct err err = {0};
	uint64_t n;

	CHECK(pmc_parse_interval("cpu-clock", &src, &n));
	CHECK_EQ(n, 0);
	CHECK(pmc_parse_interval("cpu-clock-1000000", &src, &n));
	CHECK_EQ(n, 1000000);
	CHECK(!pmc_parse_interval("cpu-clock-0", &src, &n));
	CHECK(!pmc_parse_interval("cpu-clock-1x", &src, &n));
	CHECK(!pmc_parse_interval("cpu-clock-99999999999999999999999", &src, &n));
	CHECK(!pmc_parse_interval("-5", &src, &n));
	CHECK_EQ(pmc_parse_cpc("PAPI_tot_ins-user-10000", &src, &mode, &n, &err), 1);
	CHECK_STR(src.name, "instructions");
	CHECK_EQ(mode, PMC_USER);
	CHECK_EQ(n, 10000);
	CHECK_EQ(pmc_parse_cpc("page-faults-kernel-7", &src, &mode, &n, &err), 1);
	CHECK_EQ(mode, PMC_KERNEL);
	CHECK_EQ(pmc_parse_cpc("page-faults-both-7", &src, &mode, &n, &err), 0);
	CHECK_EQ(pmc_parse_cpc("page-faults-7", &src, &mode, &n, &err), 0);
	CHECK_EQ(pmc_parse_cpc("page-faults-user", &src, &mode, &n, &err), 0);
	CHECK_EQ(pmc_parse_cpc("7", &src, &mode, &n, &err), 0);
}

TEST(attributes_of_raw_events)
{
	static const struct {
		const char *name;
		uint64_t config; /* 0: refused */
		const char *says;
	} rows[] = {
		{"r3c-user-10000", 0x3c, ""},
		{"r3c-all-0x41-10000", 0x413c, ""},
		{"r3c-all-41-10000", 0x413c, ""},
		{"r7f3c-kernel-umask_0x0-10000", 0x3c, ""},
		{"r3c-all-umask_0x7-cmask_0x2-INV_1-edge_0x1-10000", 0x284073c, ""},
		{"r3c-all-umask_0x100-10000", 0, "umask is 0xff at most"},
		{"r3c-all-nouser_0x1-10000", 0, "no attribute nouser: umask"},
		{"r3c-all-umask-10000", 0, "umask is no attribute: NAME_HEX"},
		{"page_faults-all-0x1-10000", 0, "page-faults has no attributes"},
	};

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pmc_source src;
		enum pmc_mode mode;
		struct err err = {0};
		uint64_t n;
		int rc = pmc_parse_cpc(rows[i].name, &src, &mode, &n, &err);

		CHECK_EQ(rc, rows[i].config ? 1 : -EINVAL);
		if (rc == 1) {
			CHECK_EQ(src.config, rows[i].config);
			CHECK_EQ(n, 10000);
		} else {
			CHECK(strstr(err.text, rows[i].says) != NULL);
		}
	}
}

TEST(scaled)
{
	CHECK_EQ(pmc_scale(100, 50, 50), 100);
	CHECK_EQ(pmc_scale(100, 300, 100), 300);
	CHECK_EQ(pmc_scale(100, 300, 0), 100); /* it was never on: nothing is made up */
	CHECK_EQ(pmc_scale(1ULL << 62, 1ULL << 40, 1ULL << 39), 1ULL << 63);
}

TEST_MAIN();
