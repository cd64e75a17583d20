#include "providers/system/blockdev.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/procfile.h"

#define MAX_DEVICES 256

struct device {
	unsigned major, minor;
	char name[32];
	char driver[32];
	char mount[256];
};

struct blockdevs {
	struct device known[MAX_DEVICES];
	unsigned n;
};

struct blockdevs *blockdevs_new(void)
{
	return xcalloc(1, sizeof(struct blockdevs));
}

void blockdevs_free(struct blockdevs *bd)
{
	free(bd);
}

/* /proc/devices: "254 virtblk", after the line "Block devices:" */
static void driver_of_major(struct device *d)
{
	FILE *f = fopen("/proc/devices", "re");
	char line[128], name[64];
	bool is_block = false;
	unsigned major;

	while (f && fgets(line, sizeof(line), f)) {
		is_block |= strncmp(line, "Block", 5) == 0;
		if (is_block && sscanf(line, "%u %63s", &major, name) == 2 && major == d->major)
			snprintf(d->driver, sizeof(d->driver), "%.31s", name);
	}
	if (f)
		fclose(f);
}

/* The last part of where the link at that place of the device leads to. */
static void read_link(const struct device *d, const char *place, char name[static 32])
{
	char path[128], link[PATH_MAX];
	const char *base;
	ssize_t n;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u%s", d->major, d->minor, place);
	n = readlink(path, link, sizeof(link) - 1);
	if (n <= 0)
		return;
	link[n] = '\0';
	base = strrchr(link, '/');
	snprintf(name, 32, "%.31s", base ? base + 1 : link);
}

static void find_name(struct device *d)
{
	read_link(d, "", d->name);
}

static void find_driver(struct device *d)
{
	static const char *const places[] = {"/device/driver", "/../device/driver"};

	for (unsigned i = 0; i < ARRAY_SIZE(places) && !d->driver[0]; i++)
		read_link(d, places[i], d->driver);
	if (!d->driver[0])
		driver_of_major(d);
}

/* The mount of the whole file system is preferred to those of parts of it. */
static bool take_mount(void *arg, const struct procmount *m)
{
	struct device *d = arg;
	bool is_whole = strcmp(m->root, "/") == 0;

	if (m->dev_major != d->major || m->dev_minor != d->minor)
		return true;
	if (is_whole || !d->mount[0])
		snprintf(d->mount, sizeof(d->mount), "%.255s", m->point);
	return !is_whole;
}

static struct device *find(struct blockdevs *b, unsigned major, unsigned minor)
{
	struct device *d;

	for (unsigned i = 0; i < b->n; i++)
		if (b->known[i].major == major && b->known[i].minor == minor)
			return &b->known[i];
	if (b->n == MAX_DEVICES)
		b->n = 0; /* begin anew */
	d = &b->known[b->n++];
	*d = (struct device){.major = major, .minor = minor};
	find_name(d);
	find_driver(d);
	procmounts_each(getpid(), take_mount, d);
	return d;
}

const char *blockdev_name(struct blockdevs *b, unsigned major, unsigned minor)
{
	return find(b, major, minor)->name;
}

const char *blockdev_driver(struct blockdevs *b, unsigned major, unsigned minor)
{
	return find(b, major, minor)->driver;
}

const char *blockdev_mount(struct blockdevs *b, unsigned major, unsigned minor)
{
	return find(b, major, minor)->mount;
}
