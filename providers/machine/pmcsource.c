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
	{"PAPI_tlb_im", "iTLB-load-misses"}, {"PAPI_l1_ldm", "L1-dcache-load-misses"},
	{"PAPI_l1_stm", "L1-dcache-store-misses"}, {"PAPI_l1_dcr", "L1-dcache-loads"},
	{"PAPI_l1_dcw", "L1-dcache-stores"}, {"PAPI_l1_icr", "L1-icache-loads"},
	{"PAPI_l3_ldm", "LLC-load-misses"}, {"PAPI_l3_stm", "LLC-store-misses"},
	{"PAPI_l3_dcr", "LLC-loads"}, {"PAPI_l3_dcw", "LLC-stores"},
	{"PAPI_stl_icy", "stalled-cycles-frontend"}, {"PAPI_res_stl", "stalled-cycles-backend"},
};

/* Of a raw event of x86: bits of its number, Intel's and AMD's manuals on PERFEVTSELx. */
static const struct {
	const char *name;
	unsigned shift;
	uint64_t max;
} attributes[] = {
	{"umask", 8, 0xff}, {"edge", 18, 1}, {"pc", 19, 1}, {"inv", 23, 1}, {"cmask", 24, 0xff},
};

static const char *const caches[] = {"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node"};
/* an operation and what came of it; the row's number: operation * 2 + result */
static const char *const cache_ops[] = {"loads", "load-misses", "stores", "store-misses",
					"prefetches", "prefetch-misses"};
/* clang-format on */

/* Oracle's cpc has "_" where perf has "-". */
static bool is_named(const char *name, const char *text)
{
	for (; *name && *text; name++, text++) {
		bool is_dash = *name == '-' || *name == '_';

		if (is_dash ? *text != '-' && *text != '_'
			    : tolower((unsigned char)*name) != tolower((unsigned char)*text))
			return false;
	}
	return *name == *text;
}

static bool find_cache(const char *name, struct pmc_source *src)
{
	for (unsigned c = 0; c < ARRAY_SIZE(caches); c++)
		for (unsigned o = 0; o < ARRAY_SIZE(cache_ops); o++) {
			char text[PMC_NAME_MAX];

			snprintf(text, sizeof(text), "%s-%s", caches[c], cache_ops[o]);
			if (!is_named(text, name))
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
		if (is_named(aliases[i].alias, name))
			return pmc_source_find(aliases[i].name, src);
	for (unsigned i = 0; i < ARRAY_SIZE(table); i++)
		if (is_named(table[i].name, name)) {
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

/* One attribute of a raw event: its bits, where they belong. */
static int add_attribute(const char *text, const char *probe, uint64_t *config, struct err *err)
{
	const char *value = strrchr(text, '_');
	size_t length = value ? (size_t)(value - text) : 0;
	char *end;
	uint64_t n;

	value = value ? value + 1 : text;
	errno = 0;
	n = strtoull(value, &end, 16);
	if (!isxdigit((unsigned char)*value) || *end || errno)
		return err_set(err, -EINVAL, "%s: %s is no attribute: NAME_HEX, as umask_0x1",
			       probe, text);
	for (unsigned i = 0; i < ARRAY_SIZE(attributes); i++) {
		const char *name = attributes[i].name;

		if (length ? strlen(name) != length || strncasecmp(name, text, length) != 0
			   : i > 0) /* a number alone is the first */
			continue;
		if (n > attributes[i].max)
			return err_set(err, -EINVAL, "%s: %s is 0x%lx at most", probe, name,
				       attributes[i].max);
		*config &= ~(attributes[i].max << attributes[i].shift);
		*config |= n << attributes[i].shift;
		return 0;
	}
	return err_set(err, -EINVAL, "%s: there is no attribute %.*s: umask, edge, pc, inv, cmask",
		       probe, (int)length, text);
}

static int add_attributes(char *list, const char *probe, struct pmc_source *src, struct err *err)
{
	char *save;
	int rc = 0;

	if (src->type != PERF_TYPE_RAW)
		return err_set(err, -EINVAL,
			       "%s: %s has no attributes: events by the number of the "
			       "processor's manual do (rHEX)",
			       probe, src->name);
	for (char *at = strtok_r(list, "-", &save); at && rc == 0; at = strtok_r(NULL, "-", &save))
		rc = add_attribute(at, probe, &src->config, err);
	if (rc == 0)
		snprintf(src->name, sizeof(src->name), "r%lx", src->config);
	return rc;
}

/* Where the mode is, the first one of the name; it ends the event's. NULL: there is none. */
static char *cut_mode(char *text, enum pmc_mode *mode)
{
	static const char *const modes[] = {"all", "user", "kernel"};

	for (char *dash = strchr(text, '-'); dash; dash = strchr(dash + 1, '-'))
		for (unsigned i = 0; i < ARRAY_SIZE(modes); i++) {
			size_t n = strlen(modes[i]);

			if (strncmp(dash + 1, modes[i], n) != 0 ||
			    (dash[1 + n] && dash[1 + n] != '-'))
				continue;
			*mode = i;
			*dash = '\0';
			return dash + 1 + n;
		}
	return NULL;
}

int pmc_parse_cpc(const char *text, struct pmc_source *src, enum pmc_mode *mode, uint64_t *count,
		  struct err *err)
{
	char name[PMC_NAME_MAX + 96], *rest;
	struct pmc_source found;
	enum pmc_mode asked;
	uint64_t n;
	int rc;

	if (strlen(text) >= sizeof(name))
		return 0;
	snprintf(name, sizeof(name), "%s", text);
	if (!cut_number(name, &n) || !n)
		return 0;
	rest = cut_mode(name, &asked);
	if (!rest || !pmc_source_find(name, &found))
		return 0;
	rc = *rest ? add_attributes(rest + 1, text, &found, err) : 0;
	if (rc < 0)
		return rc;
	*src = found;
	*mode = asked;
	*count = n;
	return 1;
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
