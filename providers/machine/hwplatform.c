/* hwplatform.c: what the machine is, and what it is virtually: a guest of a hypervisor, a
 * container. */
#include "providers/machine/hwconfig.h"

#include <unistd.h>

#include "tracer/procfs/container.h"

#define DMI "/sys/class/dmi/id/"

/* Of the leaf where hypervisors say who they are. */
static bool hypervisor(char vendor[13])
{
	uint32_t a = 1, b = 0, c = 0, d = 0, name[3];

	__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	if (!(c & 1U << 31))
		return false;
	a = 0x40000000;
	c = 0;
	__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	name[0] = b;
	name[1] = c;
	name[2] = d;
	memcpy(vendor, name, 12);
	vendor[12] = '\0';
	return true;
}

static void read_hypervisor(char missing[128], char *to, size_t size)
{
	char vendor[13] = "";

	if (hypervisor(vendor))
		snprintf(to, size, "%s", vendor);
	else /* a guest of Xen that does without the CPU's help */
		hw_text(missing, "hypervisor", to, size, "/sys/hypervisor/type");
}

void hw_read_platform(hw_fn *fn, void *arg)
{
	struct hw_platform r = {.missing = ""};

	hw_text(r.missing, "vendor", r.vendor, sizeof(r.vendor), DMI "sys_vendor");
	hw_text(r.missing, "product", r.product, sizeof(r.product), DMI "product_name");
	hw_text(r.missing, "version", r.version, sizeof(r.version), DMI "product_version");
	hw_text(r.missing, "bios", r.bios, sizeof(r.bios), DMI "bios_version");
	read_hypervisor(r.missing, r.hypervisor, sizeof(r.hypervisor));
	fn(arg, &r, sizeof(r));
}

void hw_read_virtualization(hw_fn *fn, void *arg)
{
	struct hw_virtualization r = {.missing = ""};

	hw_text(r.missing, "vendor", r.vendor, sizeof(r.vendor), DMI "sys_vendor");
	hw_text(r.missing, "product", r.product, sizeof(r.product), DMI "product_name");
	read_hypervisor(r.missing, r.hypervisor, sizeof(r.hypervisor));
	if (!container_kind(r.container, sizeof(r.container)))
		hw_missing(r.missing, "container");
	if (r.hypervisor[0] || r.container[0]) /* a machine of its own is no virtual one */
		fn(arg, &r, sizeof(r));
}
