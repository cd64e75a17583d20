#include "providers/machine/pmcsource.h"

#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#include "base/procfile.h"
#include "base/strbuf.h"
#include "providers/kernel/features.h"

#define SW(id) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id
#define HW(id) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id

/* clang-format off */
static const struct pmc_source table[] = {
	{"cpu-clock", PMC_CLOCK, SW(CPU_CLOCK), false},
	{"task-clock", PMC_CLOCK, SW(TASK_CLOCK), false},
	{"page-faults", PMC_SOFTWARE, SW(PAGE_FAULTS), false},
	{"minor-faults", PMC_SOFTWARE, SW(PAGE_FAULTS_MIN), false},
	{"major-faults", PMC_SOFTWARE, SW(PAGE_FAULTS_MAJ), false},
	{"context-switches", PMC_SOFTWARE, SW(CONTEXT_SWITCHES), true},
	{"cpu-migrations", PMC_SOFTWARE, SW(CPU_MIGRATIONS), true},
	{"cgroup-switches", PMC_SOFTWARE, SW(CGROUP_SWITCHES), true},
	{"alignment-faults", PMC_SOFTWARE, SW(ALIGNMENT_FAULTS), false},
	{"emulation-faults", PMC_SOFTWARE, SW(EMULATION_FAULTS), false},
	{"bpf-output", PMC_SOFTWARE, SW(BPF_OUTPUT), true},
	{"dummy", PMC_SOFTWARE, SW(DUMMY), false},
	{"cpu-cycles", PMC_HARDWARE, HW(CPU_CYCLES), false},
	{"instructions", PMC_HARDWARE, HW(INSTRUCTIONS), false},
	{"cache-references", PMC_HARDWARE, HW(CACHE_REFERENCES), false},
	{"cache-misses", PMC_HARDWARE, HW(CACHE_MISSES), false},
	{"branch-instructions", PMC_HARDWARE, HW(BRANCH_INSTRUCTIONS), false},
	{"branch-misses", PMC_HARDWARE, HW(BRANCH_MISSES), false},
	{"bus-cycles", PMC_HARDWARE, HW(BUS_CYCLES), false},
	{"stalled-cycles-frontend", PMC_HARDWARE, HW(STALLED_CYCLES_FRONTEND), false},
	{"stalled-cycles-backend", PMC_HARDWARE, HW(STALLED_CYCLES_BACKEND), false},
	{"ref-cycles", PMC_HARDWARE, HW(REF_CPU_CYCLES), false},
	{"tsc", PMC_COUNT_ONLY, 0, 0, false}, /* of the PMU "msr", whose type the kernel tells */
};

static const struct {
	const char *alias, *name;
} aliases[] = {
	/* perf */
	{"faults", "page-faults"}, {"cs", "context-switches"}, {"migrations", "cpu-migrations"},
	{"cycles", "cpu-cycles"}, {"branches", "branch-instructions"},
	{"idle-cycles-frontend", "stalled-cycles-frontend"},
	{"idle-cycles-backend", "stalled-cycles-backend"},
	/* profile sources of Windows */
	{"timer", "cpu-clock"}, {"totalcycles", "cpu-cycles"},
	{"unhaltedcorecycles", "cpu-cycles"}, {"unhaltedreferencecycles", "ref-cycles"},
	{"totalissues", "instructions"}, {"instructionretired", "instructions"},
	{"branchinstructions", "branch-instructions"},
	{"branchinstructionretired", "branch-instructions"},
	{"branchmispredictions", "branch-misses"}, {"branchmispredictsretired", "branch-misses"},
	{"cachemisses", "cache-misses"}, {"llcreference", "cache-references"},
	{"llcmisses", "cache-misses"},
	/* PAPI, as cpc has them */
	{"PAPI_tot_cyc", "cpu-cycles"}, {"PAPI_tot_ins", "instructions"},
	{"PAPI_ref_cyc", "ref-cycles"}, {"PAPI_br_ins", "branch-instructions"},
	{"PAPI_br_msp", "branch-misses"}, {"PAPI_l3_tcm", "cache-misses"},
	{"PAPI_l3_tca", "cache-references"}, {"PAPI_l1_dcm", "L1-dcache-load-misses"},
	{"PAPI_l1_icm", "L1-icache-load-misses"}, {"PAPI_tlb_dm", "dTLB-load-misses"},
	{"PAPI_tlb_im", "iTLB-load-misses"},
};

static const char *const caches[] = {"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node"};
/* an operation and what came of it; the row's number: operation * 2 + result */
static const char *const cache_ops[] = {"loads", "load-misses", "stores", "store-misses",
					"prefetches", "prefetch-misses"};
/* clang-format on */

static bool find_cache(const char *name, struct pmc_source *src)
{
	for (unsigned c = 0; c < ARRAY_SIZE(caches); c++)
		for (unsigned o = 0; o < ARRAY_SIZE(cache_ops); o++) {
			char text[PMC_NAME_MAX];

			snprintf(text, sizeof(text), "%s-%s", caches[c], cache_ops[o]);
			if (strcasecmp(text, name) != 0)
				continue;
			*src = (struct pmc_source){.kind = PMC_HARDWARE,
						   .type = PERF_TYPE_HW_CACHE,
						   .config = c | (o / 2) << 8 | (o % 2) << 16};
			snprintf(src->name, sizeof(src->name), "%s", text);
			return true;
		}
	return false;
}

static bool find_raw(const char *name, struct pmc_source *src)
{
	char *end;

	if (name[0] != 'r' || !isxdigit((unsigned char)name[1]) || strlen(name) > 17)
		return false;
	*src = (struct pmc_source){.kind = PMC_HARDWARE, .type = PERF_TYPE_RAW};
	src->config = strtoull(name + 1, &end, 16);
	snprintf(src->name, sizeof(src->name), "%s", name);
	return !*end;
}

bool pmc_source_find(const char *name, struct pmc_source *src)
{
	char text[32];

	for (unsigned i = 0; i < ARRAY_SIZE(aliases); i++)
		if (strcasecmp(aliases[i].alias, name) == 0)
			return pmc_source_find(aliases[i].name, src);
	for (unsigned i = 0; i < ARRAY_SIZE(table); i++)
		if (strcasecmp(table[i].name, name) == 0) {
			*src = table[i];
			if (src->kind == PMC_COUNT_ONLY &&
			    slurp_start("/sys/bus/event_source/devices/msr/type", text,
					sizeof(text)) > 0)
				src->type = (uint32_t)strtoul(text, NULL, 10);
			return true;
		}
	return find_cache(name, src) || find_raw(name, src);
}

void pmc_source_each(void (*fn)(void *arg, const struct pmc_source *), void *arg)
{
	for (unsigned i = 0; i < ARRAY_SIZE(table); i++)
		fn(arg, &table[i]);
}

int pmc_source_try(const struct pmc_source *src, struct err *err)
{
	struct perf_event_attr a = {.type = src->type,
				    .size = sizeof(a),
				    .config = src->config,
				    .disabled = 1,
				    .exclude_kernel = src->kind != PMC_COUNT_ONLY,
				    .exclude_hv = src->kind != PMC_COUNT_ONLY};
	bool is_there = src->type || src->kind != PMC_COUNT_ONLY;
	int fd = is_there ? perf_open(&a, 0, -1) : -ENOENT;

	if (fd < 0)
		return err_set(err, fd, "perf: %s", strerror(-fd));
	close(fd);
	return 0;
}

static void add_if_there(void *arg, const struct pmc_source *src)
{
	struct err why = {0};

	if (src->kind != PMC_COUNT_ONLY && pmc_source_try(src, &why) == 0)
		strbuf_addf(arg, " %s", src->name);
}

int pmc_source_refuse(const struct pmc_source *src, int rc, struct err *err)
{
	struct pmc_source cycles;
	struct strbuf there;
	struct err why = {0};
	bool has_none;

	strbuf_init(&there);
	pmc_source_each(add_if_there, &there);
	pmc_source_find("cpu-cycles", &cycles);
	has_none = src->kind == PMC_HARDWARE && pmc_source_try(&cycles, &why) < 0;
	if (has_none)
		err_set(err, rc,
			"%s: no hardware counters on this machine (perf: %s); pmc offers:%s",
			src->name, strerror(-rc), there.s);
	else
		err_set(err, rc, "%s cannot be counted here (perf: %s); pmc offers:%s", src->name,
			strerror(-rc), there.s);
	strbuf_release(&there);
	return rc;
}

/* ---- intervals ---- */

uint64_t pmc_source_interval(const struct pmc_source *src)
{
	static const uint64_t of[] = {
		[PMC_CLOCK] = 1000000, [PMC_SOFTWARE] = 1, [PMC_HARDWARE] = 65536};

	return src->kind < ARRAY_SIZE(of) ? of[src->kind] : 0;
}

uint64_t pmc_source_least(const struct pmc_source *src)
{
	static const uint64_t of[] = {
		[PMC_CLOCK] = 10000, [PMC_SOFTWARE] = 1, [PMC_HARDWARE] = 5000};

	return src->kind < ARRAY_SIZE(of) ? of[src->kind] : 1;
}

/* What is behind the last dash, if it is a number; cuts it off. */
static bool cut_number(char *text, uint64_t *n)
{
	char *dash = strrchr(text, '-'), *end;

	if (!dash || !isdigit((unsigned char)dash[1]))
		return false;
	errno = 0;
	*n = strtoull(dash + 1, &end, 10);
	if (*end || errno || *n > INT64_MAX)
		return false;
	*dash = '\0';
	return true;
}

bool pmc_parse_interval(const char *text, struct pmc_source *src, uint64_t *interval)
{
	char name[PMC_NAME_MAX + 24];

	*interval = 0;
	if (pmc_source_find(text, src))
		return true;
	if (strlen(text) >= sizeof(name))
		return false;
	snprintf(name, sizeof(name), "%s", text);
	return cut_number(name, interval) && *interval && pmc_source_find(name, src);
}

bool pmc_parse_cpc(const char *text, struct pmc_source *src, enum pmc_mode *mode, uint64_t *count)
{
	static const char *const modes[] = {"all", "user", "kernel"};
	char name[PMC_NAME_MAX + 32], *dash;

	if (strlen(text) >= sizeof(name))
		return false;
	snprintf(name, sizeof(name), "%s", text);
	if (!cut_number(name, count) || !*count || !(dash = strrchr(name, '-')))
		return false;
	*dash = '\0';
	for (unsigned i = 0; i < ARRAY_SIZE(modes); i++)
		if (strcmp(dash + 1, modes[i]) == 0) {
			*mode = i;
			return pmc_source_find(name, src);
		}
	return false;
}

bool pmc_source_is_shared(const struct pmc_source *src)
{
	return src->kind == PMC_SOFTWARE;
}

uint64_t pmc_scale(uint64_t value, uint64_t enabled_ns, uint64_t running_ns)
{
	__extension__ typedef unsigned __int128 wide;

	if (!running_ns || running_ns >= enabled_ns)
		return value;
	return (uint64_t)((wide)value * enabled_ns / running_ns);
}
