/*
 * hwconfig.h: what the machine tells of itself, a record for each thing. What it does not tell is
 * 0 or "", and its name stands in `missing`. dscripts/lib/hwconfig.d has the same structures.
 */
#ifndef PROVIDERS_MACHINE_HWCONFIG_H
#define PROVIDERS_MACHINE_HWCONFIG_H

#include "base/base.h"

struct hw_cpu {
	char missing[128];
	uint64_t memory, page_size;
	int32_t ncpus, nonline, mhz, physical_bits, virtual_bits, pad;
	char model[64], vendor[32], host[64], domain[64];
};

struct hw_processor {
	char missing[128];
	int32_t cpu, is_online, core, package, node, pad;
	uint64_t max_khz, l1d, l1i, l2, l3;
	char siblings[64];
};

struct hw_disk {
	char missing[128];
	uint64_t bytes;
	int32_t major, minor, sector, is_rotational, is_removable, is_readonly;
	char name[32], model[64], vendor[32], serial[64], scheduler[64];
};

struct hw_volume {
	char missing[128];
	uint64_t bytes, free, avail;
	int32_t major, minor;
	char device[256], mount[256], fs[32];
};

struct hw_nic {
	char missing[128];
	int32_t index, mtu, speed, pad;
	char name[32], address[64], driver[32], state[32], ipv4[32], ipv6[64];
};

struct hw_network {
	char missing[128];
	char host[64], domain[64], gateway[32], search[128];
	char dns[4][64];
};

struct hw_service {
	char missing[128];
	int32_t pid, nthreads;
	char name[32], unit[256];
};

struct hw_power {
	char missing[128];
	int32_t on_line, capacity;
	char states[64], cpuidle[32], cpufreq[32], supply[64];
};

struct hw_irq {
	char missing[128];
	uint64_t count;
	int32_t number, pad;
	char name[96], affinity[64];
};

struct hw_device {
	char missing[128];
	int32_t vendor, device, kind, pad;
	char bus[16], id[64], driver[32];
};

struct hw_video {
	char missing[128];
	int32_t vendor, device, is_first, pad;
	char name[32], driver[32], bus[64];
};

struct hw_screen {
	char missing[128];
	int32_t width, height, width_mm, height_mm, dpi, pad;
	char name[64], vendor[8], model[16];
};

struct hw_platform {
	char missing[128];
	char vendor[64], product[64], version[64], bios[64], hypervisor[32];
};

struct hw_virtualization {
	char missing[128];
	char vendor[64], product[64], hypervisor[32], container[32];
};

struct hw_boot {
	char missing[128];
	uint64_t time;
	char release[96], version[128], command[1024];
};

struct hw_integrity {
	char missing[128];
	int32_t enforces_signatures, pad;
	char lockdown[64];
};

/* For each thing of that kind: fn with its record. */
typedef void hw_fn(void *arg, const void *record, size_t size);
typedef void hw_reader(hw_fn *fn, void *arg);
hw_reader hw_read_cpu, hw_read_processors, hw_read_power, hw_read_boot,
	hw_read_integrity;			    /* hwcpu.c */
hw_reader hw_read_platform, hw_read_virtualization; /* hwplatform.c */
hw_reader hw_read_disks, hw_read_opticals, hw_read_volumes, hw_read_pnp,
	hw_read_irqs;					   /* hwdevices.c */
hw_reader hw_read_nics, hw_read_network, hw_read_services; /* hwnet.c */
hw_reader hw_read_videos, hw_read_screens;		   /* hwscreen.c */
/* hwrecorded.c: as hw_read_cpu and the like, of the machine that a recording is of. */
struct perfdata;
typedef void hw_recorded(const struct perfdata *, hw_fn *fn, void *arg);
hw_recorded hw_recorded_cpu, hw_recorded_processors, hw_recorded_boot;
/* hwcpu.c: a processor's cache of that level, kind ('I', 'D' or 'U') and size, as "32K"; names
 * those that it has none of. */
void hw_set_cache(struct hw_processor *, int64_t level, char kind, const char *size);
void hw_missing_caches(struct hw_processor *);

/* hwread.c: members from files, whose paths are printed; what there is not is named in `missing`.
 */
void hw_missing(char missing[128], const char *member);
bool hw_text(char missing[128], const char *member, char *to, size_t size, const char *path, ...)
	PRINTF_LIKE(5, 6);
int64_t hw_number(char missing[128], const char *member, int base, const char *path, ...)
	PRINTF_LIKE(4, 5);
/* The last part of where a link leads to. */
void hw_link(char missing[128], const char *member, char *to, size_t size, const char *path, ...)
	PRINTF_LIKE(5, 6);
/* What is behind "NAME" and blanks or a colon on its line of the file. */
bool hw_line(char missing[128], const char *member, char *to, size_t size, const char *path,
	     const char *name);
/* The names in a folder, sorted, without "." and ".."; fn may read the folder. */
void hw_each(const char *folder, void (*fn)(void *arg, const char *name), void *arg);

#endif
