/*
 * hwconfig.d: what args[] of hwconfig are: for each thing a record (providers/machine/hwconfig.h has the same structures) and a
 * translator. A member that the machine does not tell is 0 or "", and its name stands in `missing`.
 */

typedef struct hw_cpu_record {
	char missing[128];
	uint64_t memory, page_size;
	int ncpus, nonline, mhz, physical_bits, virtual_bits, pad;
	char model[64], vendor[32], host[64], domain[64];
} hw_cpu_record_t;

typedef struct hw_cpu {
	string missing;
	uint64_t memory, page_size;
	int ncpus, nonline, mhz, physical_bits, virtual_bits;
	string model, vendor, host, domain;
} hw_cpu_t;

translator hw_cpu_t < hw_cpu_record_t *R > {
	missing = stringof(R->missing);
	memory = R->memory;
	page_size = R->page_size;
	ncpus = R->ncpus;
	nonline = R->nonline;
	mhz = R->mhz;
	physical_bits = R->physical_bits;
	virtual_bits = R->virtual_bits;
	model = stringof(R->model);
	vendor = stringof(R->vendor);
	host = stringof(R->host);
	domain = stringof(R->domain);
};

typedef struct hw_processor_record {
	char missing[128];
	int cpu, is_online, core, package, node, pad;
	uint64_t max_khz, l1d, l1i, l2, l3;
	char siblings[64];
} hw_processor_record_t;

typedef struct hw_processor {
	string missing;
	int cpu, is_online, core, package, node;
	uint64_t max_khz, l1d, l1i, l2, l3;
	string siblings;
} hw_processor_t;

translator hw_processor_t < hw_processor_record_t *R > {
	missing = stringof(R->missing);
	cpu = R->cpu;
	is_online = R->is_online;
	core = R->core;
	package = R->package;
	node = R->node;
	max_khz = R->max_khz;
	l1d = R->l1d;
	l1i = R->l1i;
	l2 = R->l2;
	l3 = R->l3;
	siblings = stringof(R->siblings);
};

typedef struct hw_disk_record {
	char missing[128];
	uint64_t bytes;
	int major, minor, sector, is_rotational, is_removable, is_readonly;
	char name[32], model[64], vendor[32], serial[64], scheduler[64];
} hw_disk_record_t;

typedef struct hw_disk {
	string missing;
	uint64_t bytes;
	int major, minor, sector, is_rotational, is_removable, is_readonly;
	string name, model, vendor, serial, scheduler;
} hw_disk_t;

translator hw_disk_t < hw_disk_record_t *R > {
	missing = stringof(R->missing);
	bytes = R->bytes;
	major = R->major;
	minor = R->minor;
	sector = R->sector;
	is_rotational = R->is_rotational;
	is_removable = R->is_removable;
	is_readonly = R->is_readonly;
	name = stringof(R->name);
	model = stringof(R->model);
	vendor = stringof(R->vendor);
	serial = stringof(R->serial);
	scheduler = stringof(R->scheduler);
};

typedef struct hw_volume_record {
	char missing[128];
	uint64_t bytes, free, avail;
	int major, minor;
	char device[256], mount[256], fs[32];
} hw_volume_record_t;

typedef struct hw_volume {
	string missing;
	uint64_t bytes, free, avail;
	int major, minor;
	string device, mount, fs;
} hw_volume_t;

translator hw_volume_t < hw_volume_record_t *R > {
	missing = stringof(R->missing);
	bytes = R->bytes;
	free = R->free;
	avail = R->avail;
	major = R->major;
	minor = R->minor;
	device = stringof(R->device);
	mount = stringof(R->mount);
	fs = stringof(R->fs);
};

typedef struct hw_nic_record {
	char missing[128];
	int index, mtu, speed, pad;
	char name[32], address[64], driver[32], state[32], ipv4[32], ipv6[64];
} hw_nic_record_t;

typedef struct hw_nic {
	string missing;
	int index, mtu, speed;
	string name, address, driver, state, ipv4, ipv6;
} hw_nic_t;

translator hw_nic_t < hw_nic_record_t *R > {
	missing = stringof(R->missing);
	index = R->index;
	mtu = R->mtu;
	speed = R->speed;
	name = stringof(R->name);
	address = stringof(R->address);
	driver = stringof(R->driver);
	state = stringof(R->state);
	ipv4 = stringof(R->ipv4);
	ipv6 = stringof(R->ipv6);
};

typedef struct hw_network_record {
	char missing[128];
	char host[64], domain[64], gateway[32], search[128];
	char dns[4][64];
} hw_network_record_t;

typedef struct hw_network {
	string missing;
	string host, domain, gateway, search;
	string dns, dns2, dns3, dns4;
} hw_network_t;

translator hw_network_t < hw_network_record_t *R > {
	missing = stringof(R->missing);
	host = stringof(R->host);
	domain = stringof(R->domain);
	gateway = stringof(R->gateway);
	search = stringof(R->search);
	dns = stringof(R->dns[0]);
	dns2 = stringof(R->dns[1]);
	dns3 = stringof(R->dns[2]);
	dns4 = stringof(R->dns[3]);
};

typedef struct hw_service_record {
	char missing[128];
	int pid, nthreads;
	char name[32], unit[256];
} hw_service_record_t;

typedef struct hw_service {
	string missing;
	int pid, nthreads;
	string name, unit;
} hw_service_t;

translator hw_service_t < hw_service_record_t *R > {
	missing = stringof(R->missing);
	pid = R->pid;
	nthreads = R->nthreads;
	name = stringof(R->name);
	unit = stringof(R->unit);
};

typedef struct hw_power_record {
	char missing[128];
	int on_line, capacity;
	char states[64], cpuidle[32], cpufreq[32], supply[64];
} hw_power_record_t;

typedef struct hw_power {
	string missing;
	int on_line, capacity;
	string states, cpuidle, cpufreq, supply;
} hw_power_t;

translator hw_power_t < hw_power_record_t *R > {
	missing = stringof(R->missing);
	on_line = R->on_line;
	capacity = R->capacity;
	states = stringof(R->states);
	cpuidle = stringof(R->cpuidle);
	cpufreq = stringof(R->cpufreq);
	supply = stringof(R->supply);
};

typedef struct hw_irq_record {
	char missing[128];
	uint64_t count;
	int number, pad;
	char name[96], affinity[64];
} hw_irq_record_t;

typedef struct hw_irq {
	string missing;
	uint64_t count;
	int number;
	string name, affinity;
} hw_irq_t;

translator hw_irq_t < hw_irq_record_t *R > {
	missing = stringof(R->missing);
	count = R->count;
	number = R->number;
	name = stringof(R->name);
	affinity = stringof(R->affinity);
};

typedef struct hw_device_record {
	char missing[128];
	int vendor, device, kind, pad;
	char bus[16], id[64], driver[32];
} hw_device_record_t;

typedef struct hw_device {
	string missing;
	int vendor, device, kind;
	string bus, id, driver;
} hw_device_t;

translator hw_device_t < hw_device_record_t *R > {
	missing = stringof(R->missing);
	vendor = R->vendor;
	device = R->device;
	kind = R->kind;
	bus = stringof(R->bus);
	id = stringof(R->id);
	driver = stringof(R->driver);
};

typedef struct hw_video_record {
	char missing[128];
	int vendor, device, is_first, pad;
	char name[32], driver[32], bus[64];
} hw_video_record_t;

typedef struct hw_video {
	string missing;
	int vendor, device, is_first;
	string name, driver, bus;
} hw_video_t;

translator hw_video_t < hw_video_record_t *R > {
	missing = stringof(R->missing);
	vendor = R->vendor;
	device = R->device;
	is_first = R->is_first;
	name = stringof(R->name);
	driver = stringof(R->driver);
	bus = stringof(R->bus);
};

typedef struct hw_screen_record {
	char missing[128];
	int width, height, width_mm, height_mm, dpi, pad;
	char name[64], vendor[8], model[16];
} hw_screen_record_t;

typedef struct hw_screen {
	string missing;
	int width, height, width_mm, height_mm, dpi;
	string name, vendor, model;
} hw_screen_t;

translator hw_screen_t < hw_screen_record_t *R > {
	missing = stringof(R->missing);
	width = R->width;
	height = R->height;
	width_mm = R->width_mm;
	height_mm = R->height_mm;
	dpi = R->dpi;
	name = stringof(R->name);
	vendor = stringof(R->vendor);
	model = stringof(R->model);
};

typedef struct hw_platform_record {
	char missing[128];
	char vendor[64], product[64], version[64], bios[64], hypervisor[32];
} hw_platform_record_t;

typedef struct hw_platform {
	string missing;
	string vendor, product, version, bios, hypervisor;
} hw_platform_t;

translator hw_platform_t < hw_platform_record_t *R > {
	missing = stringof(R->missing);
	vendor = stringof(R->vendor);
	product = stringof(R->product);
	version = stringof(R->version);
	bios = stringof(R->bios);
	hypervisor = stringof(R->hypervisor);
};

typedef struct hw_virtualization_record {
	char missing[128];
	char vendor[64], product[64], hypervisor[32], container[32];
} hw_virtualization_record_t;

typedef struct hw_virtualization {
	string missing;
	string vendor, product, hypervisor, container;
} hw_virtualization_t;

translator hw_virtualization_t < hw_virtualization_record_t *R > {
	missing = stringof(R->missing);
	vendor = stringof(R->vendor);
	product = stringof(R->product);
	hypervisor = stringof(R->hypervisor);
	container = stringof(R->container);
};

typedef struct hw_boot_record {
	char missing[128];
	uint64_t time;
	char release[96], version[128], command[1024];
} hw_boot_record_t;

typedef struct hw_boot {
	string missing;
	uint64_t time;
	string release, version, command;
} hw_boot_t;

translator hw_boot_t < hw_boot_record_t *R > {
	missing = stringof(R->missing);
	time = R->time;
	release = stringof(R->release);
	version = stringof(R->version);
	command = stringof(R->command);
};

typedef struct hw_integrity_record {
	char missing[128];
	int enforces_signatures, pad;
	char lockdown[64];
} hw_integrity_record_t;

typedef struct hw_integrity {
	string missing;
	int enforces_signatures;
	string lockdown;
} hw_integrity_t;

translator hw_integrity_t < hw_integrity_record_t *R > {
	missing = stringof(R->missing);
	enforces_signatures = R->enforces_signatures;
	lockdown = stringof(R->lockdown);
};

provider hwconfig {
	probe cpu(hw_cpu_record_t *r, uint64_t size, uint64_t one, uint64_t version) :
		(hw_cpu_t *r, uint64_t size, uint64_t one, uint64_t version);
	probe processor(hw_processor_record_t *r, uint64_t size, uint64_t one, uint64_t version) :
		(hw_processor_t *r, uint64_t size, uint64_t one, uint64_t version);
	probe disk__phy(hw_disk_record_t *r, uint64_t size, uint64_t one, uint64_t version) :
		(hw_disk_t *r, uint64_t size, uint64_t one, uint64_t version);
	probe disk__optical(hw_disk_record_t *r, uint64_t size, uint64_t one, uint64_t version) :
		(hw_disk_t *r, uint64_t size, uint64_t one, uint64_t version);
	probe disk__log(hw_volume_record_t *r, uint64_t size, uint64_t one, uint64_t version) :
		(hw_volume_t *r, uint64_t size, uint64_t one, uint64_t version);
	probe nic(hw_nic_record_t *r, uint64_t size, uint64_t one, uint64_t version) :
		(hw_nic_t *r, uint64_t size, uint64_t one, uint64_t version);
	probe network(hw_network_record_t *r, uint64_t size, uint64_t one, uint64_t version) :
		(hw_network_t *r, uint64_t size, uint64_t one, uint64_t version);
	probe service(hw_service_record_t *r, uint64_t size, uint64_t one, uint64_t version) :
		(hw_service_t *r, uint64_t size, uint64_t one, uint64_t version);
	probe power(hw_power_record_t *r, uint64_t size, uint64_t one, uint64_t version) :
		(hw_power_t *r, uint64_t size, uint64_t one, uint64_t version);
	probe irq(hw_irq_record_t *r, uint64_t size, uint64_t one, uint64_t version) :
		(hw_irq_t *r, uint64_t size, uint64_t one, uint64_t version);
	probe pnp(hw_device_record_t *r, uint64_t size, uint64_t one, uint64_t version) :
		(hw_device_t *r, uint64_t size, uint64_t one, uint64_t version);
	probe video(hw_video_record_t *r, uint64_t size, uint64_t one, uint64_t version) :
		(hw_video_t *r, uint64_t size, uint64_t one, uint64_t version);
	probe dpi(hw_screen_record_t *r, uint64_t size, uint64_t one, uint64_t version) :
		(hw_screen_t *r, uint64_t size, uint64_t one, uint64_t version);
	probe platform(hw_platform_record_t *r, uint64_t size, uint64_t one, uint64_t version) :
		(hw_platform_t *r, uint64_t size, uint64_t one, uint64_t version);
	probe virtualization(hw_virtualization_record_t *r, uint64_t size, uint64_t one, uint64_t version) :
		(hw_virtualization_t *r, uint64_t size, uint64_t one, uint64_t version);
	probe boot(hw_boot_record_t *r, uint64_t size, uint64_t one, uint64_t version) :
		(hw_boot_t *r, uint64_t size, uint64_t one, uint64_t version);
	probe code__integrity(hw_integrity_record_t *r, uint64_t size, uint64_t one, uint64_t version) :
		(hw_integrity_t *r, uint64_t size, uint64_t one, uint64_t version);
};
