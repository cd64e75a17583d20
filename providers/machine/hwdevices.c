/* hwdevices.c: disks, what is on them, devices of buses, interrupts. */
#include "providers/machine/hwconfig.h"

#include <stdlib.h>
#include <sys/statvfs.h>

#include "base/procfile.h"
#include "base/strbuf.h"

#define BLOCK "/sys/block/%s"

struct reading {
	hw_fn *fn;
	void *arg;
	bool wants_opticals;
	unsigned ncolumns; /* of /proc/interrupts */
	const char *bus;
};

static bool is_optical(const char *name)
{
	return name[0] == 's' && name[1] == 'r' && name[2] >= '0' && name[2] <= '9';
}

/* A path of several to a disk, that nobody can open. */
static bool is_hidden(const char *name)
{
	char none[128] = "";

	return hw_number(none, "", 10, BLOCK "/hidden", name) != 0;
}

static void read_disk(void *arg, const char *name)
{
	const struct reading *rd = arg;
	struct hw_disk r = {.missing = ""};
	char none[128] = "", device[32];

	if (is_optical(name) != rd->wants_opticals || is_hidden(name))
		return;
	snprintf(r.name, sizeof(r.name), "%.31s", name);
	r.bytes = 512 * (uint64_t)hw_number(r.missing, "bytes", 10, BLOCK "/size", name);
	if (!hw_text(none, "", device, sizeof(device), BLOCK "/dev", name) ||
	    sscanf(device, "%d:%d", &r.major, &r.minor) != 2) {
		r.major = 0;
		hw_missing(r.missing, "major");
		hw_missing(r.missing, "minor");
	}
	r.sector = (int)hw_number(r.missing, "sector", 10, BLOCK "/queue/logical_block_size", name);
	r.is_rotational =
		(int)hw_number(r.missing, "is_rotational", 10, BLOCK "/queue/rotational", name);
	r.is_removable = (int)hw_number(r.missing, "is_removable", 10, BLOCK "/removable", name);
	r.is_readonly = (int)hw_number(r.missing, "is_readonly", 10, BLOCK "/ro", name);
	if (!hw_text(none, "", r.model, sizeof(r.model), BLOCK "/device/model", name)) /* MMC */
		hw_text(r.missing, "model", r.model, sizeof(r.model), BLOCK "/device/name", name);
	hw_text(r.missing, "vendor", r.vendor, sizeof(r.vendor), BLOCK "/device/vendor", name);
	if (!hw_text(none, "", r.serial, sizeof(r.serial), BLOCK "/serial", name)) /* NVMe, MMC */
		hw_text(r.missing, "serial", r.serial, sizeof(r.serial), BLOCK "/device/serial",
			name);
	hw_text(r.missing, "scheduler", r.scheduler, sizeof(r.scheduler), BLOCK "/queue/scheduler",
		name);
	rd->fn(rd->arg, &r, sizeof(r));
}

void hw_read_disks(hw_fn *fn, void *arg)
{
	struct reading rd = {.fn = fn, .arg = arg};

	hw_each("/sys/block", read_disk, &rd);
}

void hw_read_opticals(hw_fn *fn, void *arg)
{
	struct reading rd = {.fn = fn, .arg = arg, .wants_opticals = true};

	hw_each("/sys/block", read_disk, &rd);
}

/* Those of devices: a mount whose server is gone would hold us up. FUSE has one, whatever its
 * device. */
static bool has_server(const char *type)
{
	return strncmp(type, "fuse", 4) == 0;
}

static void read_volume(const struct reading *rd, char *line)
{
	struct hw_volume r = {.missing = ""};
	const char *behind = strstr(line, " - ");
	struct procmount m;
	struct statvfs v;

	if (!behind || sscanf(behind, " - %*s %255s", r.device) != 1 ||
	    strncmp(r.device, "/dev/", 5) != 0 || !procmount_parse(line, &m))
		return;
	r.major = (int)m.dev_major;
	r.minor = (int)m.dev_minor;
	snprintf(r.fs, sizeof(r.fs), "%s", m.type);
	snprintf(r.mount, sizeof(r.mount), "%s", m.point);
	if (!has_server(m.type) && statvfs(r.mount, &v) == 0) {
		r.bytes = (uint64_t)v.f_blocks * v.f_frsize;
		r.free = (uint64_t)v.f_bfree * v.f_frsize;
		r.avail = (uint64_t)v.f_bavail * v.f_frsize;
	} else {
		hw_missing(r.missing, "bytes free avail");
	}
	rd->fn(rd->arg, &r, sizeof(r));
}

/* take gets each line of a file. */
static void each_line(const char *path, const struct reading *rd,
		      void (*take)(const struct reading *, char *line))
{
	struct strbuf text;
	char *rest, *line;

	strbuf_init(&text);
	slurp(path, &text);
	rest = text.s;
	while ((line = strsep(&rest, "\n")))
		take(rd, line);
	strbuf_release(&text);
}

void hw_read_volumes(hw_fn *fn, void *arg)
{
	struct reading rd = {.fn = fn, .arg = arg};

	each_line("/proc/self/mountinfo", &rd, read_volume);
}

/* A column for each CPU that is online, then words: they may begin with a digit, too. */
static void read_irq(const struct reading *rd, char *line)
{
	struct hw_irq r = {.missing = ""};
	char *at, *end;

	r.number = (int)strtol(line, &at, 10);
	if (at == line || *at != ':')
		return;
	at++;
	for (unsigned i = 0; i < rd->ncolumns; i++, at = end) {
		uint64_t n = strtoull(at, &end, 10);

		if (end == at)
			break;
		r.count += n;
	}
	at += strspn(at, " ");
	snprintf(r.name, sizeof(r.name), "%.95s", at);
	hw_text(r.missing, "affinity", r.affinity, sizeof(r.affinity),
		"/proc/irq/%d/smp_affinity_list", r.number);
	rd->fn(rd->arg, &r, sizeof(r));
}

static unsigned count_columns(const char *path)
{
	struct strbuf text;
	unsigned n = 0;

	strbuf_init(&text);
	slurp(path, &text);
	for (const char *at = text.s, *end = strchrnul(at, '\n'); at < end; at++)
		n += strncmp(at, "CPU", 3) == 0;
	strbuf_release(&text);
	return n;
}

void hw_read_irqs(hw_fn *fn, void *arg)
{
	struct reading rd = {.fn = fn, .arg = arg, .ncolumns = count_columns("/proc/interrupts")};

	each_line("/proc/interrupts", &rd, read_irq);
}

static void read_device(void *arg, const char *name)
{
	const struct reading *rd = arg;
	bool is_usb = strcmp(rd->bus, "usb") == 0;
	struct hw_device r = {.missing = ""};
	char at[160];

	if (is_usb && strchr(name, ':')) /* an interface of a device */
		return;
	snprintf(at, sizeof(at), "/sys/bus/%s/devices/%.100s", rd->bus, name);
	snprintf(r.bus, sizeof(r.bus), "%s", rd->bus);
	snprintf(r.id, sizeof(r.id), "%.63s", name);
	r.vendor =
		(int)hw_number(r.missing, "vendor", 16, is_usb ? "%s/idVendor" : "%s/vendor", at);
	r.device =
		(int)hw_number(r.missing, "device", 16, is_usb ? "%s/idProduct" : "%s/device", at);
	r.kind = (int)hw_number(r.missing, "kind", 16, is_usb ? "%s/bDeviceClass" : "%s/class", at);
	hw_link(r.missing, "driver", r.driver, sizeof(r.driver), "%s/driver", at);
	rd->fn(rd->arg, &r, sizeof(r));
}

void hw_read_pnp(hw_fn *fn, void *arg)
{
	struct reading pci = {.fn = fn, .arg = arg, .bus = "pci"};
	struct reading usb = {.fn = fn, .arg = arg, .bus = "usb"};

	hw_each("/sys/bus/pci/devices", read_device, &pci);
	hw_each("/sys/bus/usb/devices", read_device, &usb);
}
