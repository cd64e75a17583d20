/* hwconfig.d: the records of hwconfig; what the machine does not tell is named in `missing`. */

typedef struct hw_cpu {
	char missing[128];
	uint64_t memory, page_size;
	int ncpus, nonline, mhz, physical_bits, virtual_bits, pad;
	char model[64], vendor[32], host[64], domain[64];
} hw_cpu_t;

typedef struct hw_processor {
	char missing[128];
	int cpu, is_online, core, package, node, pad;
	uint64_t max_khz, l1d, l1i, l2, l3;
	char siblings[64];
} hw_processor_t;

typedef struct hw_disk {
	char missing[128];
	uint64_t bytes;
	int major, minor, sector, is_rotational, is_removable, is_readonly;
	char name[32], model[64], vendor[32], serial[64], scheduler[64];
} hw_disk_t;

typedef struct hw_volume {
	char missing[128];
	uint64_t bytes, free, avail;
	int major, minor;
	char device[256], mount[256], fs[32];
} hw_volume_t;

typedef struct hw_nic {
	char missing[128];
	int index, mtu, speed, pad;
	char name[32], address[64], driver[32], state[32], ipv4[32], ipv6[64];
} hw_nic_t;

typedef struct hw_network {
	char missing[128];
	char host[64], domain[64], gateway[32], search[128];
	char dns[4][64];
} hw_network_t;

typedef struct hw_service {
	char missing[128];
	int pid, nthreads;
	char name[32], unit[256];
} hw_service_t;

typedef struct hw_power {
	char missing[128];
	int on_line, capacity;
	char states[64], cpuidle[32], cpufreq[32], supply[32];
} hw_power_t;

typedef struct hw_irq {
	char missing[128];
	uint64_t count;
	int number, pad;
	char name[96], affinity[64];
} hw_irq_t;

typedef struct hw_device {
	char missing[128];
	int vendor, device, kind, pad;
	char bus[16], id[64], driver[32];
} hw_device_t;

typedef struct hw_platform {
	char missing[128];
	char vendor[64], product[64], version[64], bios[64], hypervisor[32];
} hw_platform_t;

typedef struct hw_boot {
	char missing[128];
	uint64_t time;
	char release[96], version[128], command[1024];
} hw_boot_t;

typedef struct hw_integrity {
	char missing[128];
	int enforces_signatures, pad;
	char lockdown[64];
} hw_integrity_t;
