/* hwcpu.c: processors, memory, power, how the machine was started. */
#include "providers/machine/hwconfig.h"

#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#define CPUINFO "/proc/cpuinfo"
#define CPUS	"/sys/devices/system/cpu"

void hw_read_cpu(hw_fn *fn, void *arg)
{
	struct hw_cpu r = {.page_size = (uint64_t)sysconf(_SC_PAGESIZE),
			   .ncpus = (int)sysconf(_SC_NPROCESSORS_CONF),
			   .nonline = (int)sysconf(_SC_NPROCESSORS_ONLN)};
	struct utsname u;
	char none[128] = "", text[64];

	if (hw_line(r.missing, "memory", text, sizeof(text), "/proc/meminfo", "MemTotal"))
		r.memory = strtoull(text, NULL, 10) * 1024;
	if (hw_line(r.missing, "mhz", text, sizeof(text), CPUINFO, "cpu MHz"))
		r.mhz = atoi(text);
	if (hw_line(none, "", text, sizeof(text), CPUINFO, "address sizes"))
		sscanf(text, "%d bits physical, %d bits virtual", &r.physical_bits,
		       &r.virtual_bits);
	if (!r.physical_bits)
		hw_missing(r.missing, "physical_bits");
	if (!r.virtual_bits)
		hw_missing(r.missing, "virtual_bits");
	hw_line(r.missing, "model", r.model, sizeof(r.model), CPUINFO, "model name");
	hw_line(r.missing, "vendor", r.vendor, sizeof(r.vendor), CPUINFO, "vendor_id");
	if (uname(&u) == 0) {
		snprintf(r.host, sizeof(r.host), "%.63s", u.nodename);
		if (strcmp(u.domainname, "(none)") != 0)
			snprintf(r.domain, sizeof(r.domain), "%.63s", u.domainname);
	}
	if (!r.domain[0])
		hw_missing(r.missing, "domain");
	fn(arg, &r, sizeof(r));
}

struct reading {
	hw_fn *fn;
	void *arg;
	void *record;
};

static uint64_t hw_size(const char *text)
{
	char *unit;
	uint64_t n = strtoull(text, &unit, 10);

	return *unit == 'K' ? n << 10 : *unit == 'M' ? n << 20 : n;
}

void hw_set_cache(struct hw_processor *r, int64_t level, char kind, const char *size)
{
	*(level == 3	? &r->l3
	  : level == 2	? &r->l2
	  : kind == 'I' ? &r->l1i
			: &r->l1d) = hw_size(size);
}

void hw_missing_caches(struct hw_processor *r)
{
	const struct {
		const uint64_t *size;
		const char *name;
	} caches[] = {{&r->l1d, "l1d"}, {&r->l1i, "l1i"}, {&r->l2, "l2"}, {&r->l3, "l3"}};

	for (unsigned i = 0; i < ARRAY_SIZE(caches); i++)
		if (!*caches[i].size)
			hw_missing(r->missing, caches[i].name);
}

static void read_caches(struct hw_processor *r)
{
	for (unsigned i = 0; i < 8; i++) {
		char none[128] = "", size[32], kind[32];
		int64_t level =
			hw_number(none, "", 10, CPUS "/cpu%d/cache/index%u/level", r->cpu, i);

		if (!level || !hw_text(none, "", size, sizeof(size),
				       CPUS "/cpu%d/cache/index%u/size", r->cpu, i))
			continue;
		hw_text(none, "", kind, sizeof(kind), CPUS "/cpu%d/cache/index%u/type", r->cpu, i);
		hw_set_cache(r, level, kind[0], size);
	}
	hw_missing_caches(r);
}

static void find_node(void *arg, const char *name)
{
	struct hw_processor *r = arg;

	if (strncmp(name, "node", 4) == 0 && name[4] >= '0' && name[4] <= '9')
		r->node = atoi(name + 4);
}

static void read_processor(void *arg, const char *name)
{
	const struct reading *rd = arg;
	struct hw_processor r = {.is_online = 1, .node = -1};
	char none[128] = "", text[16], folder[64];

	if (strncmp(name, "cpu", 3) != 0 || name[3] < '0' || name[3] > '9')
		return;
	r.cpu = atoi(name + 3);
	if (hw_text(none, "", text, sizeof(text), CPUS "/%s/online", name)) /* cpu0 has none */
		r.is_online = text[0] == '1';
	r.core = (int)hw_number(r.missing, "core", 10, CPUS "/%s/topology/core_id", name);
	r.package = (int)hw_number(r.missing, "package", 10,
				   CPUS "/%s/topology/physical_package_id", name);
	r.max_khz = (uint64_t)hw_number(r.missing, "max_khz", 10,
					CPUS "/%s/cpufreq/cpuinfo_max_freq", name);
	hw_text(r.missing, "siblings", r.siblings, sizeof(r.siblings),
		CPUS "/%s/topology/thread_siblings_list", name);
	snprintf(folder, sizeof(folder), CPUS "/%.16s", name);
	hw_each(folder, find_node, &r);
	if (r.node < 0)
		hw_missing(r.missing, "node");
	read_caches(&r);
	rd->fn(rd->arg, &r, sizeof(r));
}

void hw_read_processors(hw_fn *fn, void *arg)
{
	struct reading rd = {fn, arg, NULL};

	hw_each(CPUS, read_processor, &rd);
}

#define SUPPLY "/sys/class/power_supply"

/* The first battery's capacity; any other supply may be the one that feeds the machine. */
static void read_supply(void *arg, const char *name)
{
	struct hw_power *r = arg;
	char none[128] = "", kind[32] = "", scope[16] = "", text[8];
	size_t n = strlen(r->supply);

	hw_text(none, "", kind, sizeof(kind), SUPPLY "/%s/type", name);
	hw_text(none, "", scope, sizeof(scope), SUPPLY "/%s/scope", name);
	if (strcmp(scope, "Device") == 0) /* the battery of a mouse */
		return;
	snprintf(r->supply + n, sizeof(r->supply) - n, "%s%s", n ? " " : "", name);
	if (strcmp(kind, "Battery") == 0) {
		if (r->capacity < 0 &&
		    hw_text(none, "", text, sizeof(text), SUPPLY "/%s/capacity", name))
			r->capacity = atoi(text);
	} else if (hw_text(none, "", text, sizeof(text), SUPPLY "/%s/online", name)) {
		r->on_line = MAX(r->on_line, atoi(text) != 0);
	}
}

void hw_read_power(hw_fn *fn, void *arg)
{
	struct hw_power r = {.on_line = -1, .capacity = -1};

	hw_text(r.missing, "states", r.states, sizeof(r.states), "/sys/power/state");
	hw_text(r.missing, "cpuidle", r.cpuidle, sizeof(r.cpuidle), CPUS "/cpuidle/current_driver");
	hw_text(r.missing, "cpufreq", r.cpufreq, sizeof(r.cpufreq),
		CPUS "/cpu0/cpufreq/scaling_governor");
	hw_each(SUPPLY, read_supply, &r);
	if (!r.supply[0])
		hw_missing(r.missing, "supply");
	if (r.on_line < 0)
		hw_missing(r.missing, "on_line");
	if (r.capacity < 0)
		hw_missing(r.missing, "capacity");
	fn(arg, &r, sizeof(r));
}

void hw_read_boot(hw_fn *fn, void *arg)
{
	struct hw_boot r = {.missing = ""};
	struct utsname u;
	char text[32];

	hw_text(r.missing, "command", r.command, sizeof(r.command), "/proc/cmdline");
	if (hw_line(r.missing, "time", text, sizeof(text), "/proc/stat", "btime"))
		r.time = strtoull(text, NULL, 10);
	if (uname(&u) == 0) {
		snprintf(r.release, sizeof(r.release), "%s", u.release);
		snprintf(r.version, sizeof(r.version), "%s", u.version);
	}
	fn(arg, &r, sizeof(r));
}

void hw_read_integrity(hw_fn *fn, void *arg)
{
	struct hw_integrity r = {.enforces_signatures = -1};
	char text[8];

	hw_text(r.missing, "lockdown", r.lockdown, sizeof(r.lockdown),
		"/sys/kernel/security/lockdown");
	if (hw_text(r.missing, "enforces_signatures", text, sizeof(text),
		    "/sys/module/module/parameters/sig_enforce"))
		r.enforces_signatures = text[0] == 'Y';
	fn(arg, &r, sizeof(r));
}
