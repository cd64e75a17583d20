#!/usr/bin/env -S dtrace -s
/* hwconfig.d: the configuration of the machine by structures of one's own: 14 translators. */
#pragma D option quiet

typedef struct my_cpu {
	string model;
	int number;
	uint64_t mb;
} my_cpu_t;

translator my_cpu_t < hw_cpu_t *h > {
	model = stringof(h->model);
	number = h->ncpus;
	mb = h->memory >> 20;
};

hwconfig:::cpu
{
	printf("%-14s ", probename);
	printf("%d x %s, %d MB",
	    xlate <my_cpu_t *>(args[0])->number, xlate <my_cpu_t *>(args[0])->model, xlate <my_cpu_t *>(args[0])->mb);
	printf("\n");
}

typedef struct my_processor {
	int number;
	int core;
	int package;
	string siblings;
} my_processor_t;

translator my_processor_t < hw_processor_t *h > {
	number = h->cpu;
	core = h->core;
	package = h->package;
	siblings = stringof(h->siblings);
};

hwconfig:::processor
{
	printf("%-14s ", probename);
	printf("%d: core %d of package %d, beside %s",
	    xlate <my_processor_t *>(args[0])->number, xlate <my_processor_t *>(args[0])->core,
	    xlate <my_processor_t *>(args[0])->package, xlate <my_processor_t *>(args[0])->siblings);
	printf("\n");
}

typedef struct my_disk {
	string name;
	string model;
	uint64_t mb;
	int sector;
} my_disk_t;

translator my_disk_t < hw_disk_t *h > {
	name = stringof(h->name);
	model = stringof(h->model);
	mb = h->bytes >> 20;
	sector = h->sector;
};

hwconfig:::disk-phy
{
	printf("%-14s ", probename);
	printf("%s: %d MB, sectors of %d, %s",
	    xlate <my_disk_t *>(args[0])->name, xlate <my_disk_t *>(args[0])->mb, xlate <my_disk_t *>(args[0])->sector,
	    xlate <my_disk_t *>(args[0])->model);
	printf("\n");
}

typedef struct my_optical {
	string name;
	string vendor;
} my_optical_t;

translator my_optical_t < hw_disk_t *h > {
	name = stringof(h->name);
	vendor = stringof(h->vendor);
};

hwconfig:::disk-optical
{
	printf("%-14s ", probename);
	printf("%s %s",
	    xlate <my_optical_t *>(args[0])->name, xlate <my_optical_t *>(args[0])->vendor);
	printf("\n");
}

typedef struct my_volume {
	string device;
	string mount;
	string kind;
	uint64_t mb;
} my_volume_t;

translator my_volume_t < hw_volume_t *h > {
	device = stringof(h->device);
	mount = stringof(h->mount);
	kind = stringof(h->fs);
	mb = h->bytes >> 20;
};

hwconfig:::disk-log
{
	printf("%-14s ", probename);
	printf("%s on %s (%s), %d MB",
	    xlate <my_volume_t *>(args[0])->device, xlate <my_volume_t *>(args[0])->mount,
	    xlate <my_volume_t *>(args[0])->kind, xlate <my_volume_t *>(args[0])->mb);
	printf("\n");
}

typedef struct my_interface {
	string name;
	string address;
	string ip;
	int mtu;
} my_interface_t;

translator my_interface_t < hw_nic_t *h > {
	name = stringof(h->name);
	address = stringof(h->address);
	ip = stringof(h->ipv4);
	mtu = h->mtu;
};

hwconfig:::nic
{
	printf("%-14s ", probename);
	printf("%s: %s %s, up to %d bytes",
	    xlate <my_interface_t *>(args[0])->name, xlate <my_interface_t *>(args[0])->address,
	    xlate <my_interface_t *>(args[0])->ip, xlate <my_interface_t *>(args[0])->mtu);
	printf("\n");
}

typedef struct my_net {
	string host;
	string gateway;
	string resolver;
} my_net_t;

translator my_net_t < hw_network_t *h > {
	host = stringof(h->host);
	gateway = stringof(h->gateway);
	resolver = stringof(h->dns[0]);
};

hwconfig:::network
{
	printf("%-14s ", probename);
	printf("%s, gateway %s, resolver %s",
	    xlate <my_net_t *>(args[0])->host, xlate <my_net_t *>(args[0])->gateway,
	    xlate <my_net_t *>(args[0])->resolver);
	printf("\n");
}

typedef struct my_service {
	string name;
	pid_t process;
	int threads;
} my_service_t;

translator my_service_t < hw_service_t *h > {
	name = stringof(h->name);
	process = h->pid;
	threads = h->nthreads;
};

hwconfig:::service
{
	printf("%-14s ", probename);
	printf("%s: process %d, %d threads",
	    xlate <my_service_t *>(args[0])->name, xlate <my_service_t *>(args[0])->process,
	    xlate <my_service_t *>(args[0])->threads);
	printf("\n");
}

typedef struct my_power {
	string states;
	int battery;
	string frequency;
} my_power_t;

translator my_power_t < hw_power_t *h > {
	states = stringof(h->states);
	battery = h->capacity;
	frequency = stringof(h->cpufreq);
};

hwconfig:::power
{
	printf("%-14s ", probename);
	printf("%s, %d%%, %s",
	    xlate <my_power_t *>(args[0])->states, xlate <my_power_t *>(args[0])->battery,
	    xlate <my_power_t *>(args[0])->frequency);
	printf("\n");
}

typedef struct my_interrupt {
	string name;
	int number;
	uint64_t times;
	string cpus;
} my_interrupt_t;

translator my_interrupt_t < hw_irq_t *h > {
	name = stringof(h->name);
	number = h->number;
	times = h->count;
	cpus = stringof(h->affinity);
};

hwconfig:::irq
{
	printf("%-14s ", probename);
	printf("%d: %s, %d times, on %s",
	    xlate <my_interrupt_t *>(args[0])->number, xlate <my_interrupt_t *>(args[0])->name,
	    xlate <my_interrupt_t *>(args[0])->times, xlate <my_interrupt_t *>(args[0])->cpus);
	printf("\n");
}

typedef struct my_device {
	string place;
	int vendor;
	int kind;
	string driver;
} my_device_t;

translator my_device_t < hw_device_t *h > {
	place = strjoin(stringof(h->bus), strjoin(" ", stringof(h->id)));
	vendor = h->vendor;
	kind = h->device;
	driver = stringof(h->driver);
};

hwconfig:::pnp
{
	printf("%-14s ", probename);
	printf("%s: %04x:%04x %s",
	    xlate <my_device_t *>(args[0])->place, xlate <my_device_t *>(args[0])->vendor,
	    xlate <my_device_t *>(args[0])->kind, xlate <my_device_t *>(args[0])->driver);
	printf("\n");
}

typedef struct my_platform {
	string vendor;
	string product;
	string bios;
	string hypervisor;
} my_platform_t;

translator my_platform_t < hw_platform_t *h > {
	vendor = stringof(h->vendor);
	product = stringof(h->product);
	bios = stringof(h->bios);
	hypervisor = stringof(h->hypervisor);
};

hwconfig:::platform
{
	printf("%-14s ", probename);
	printf("%s %s, BIOS %s, hypervisor %s",
	    xlate <my_platform_t *>(args[0])->vendor, xlate <my_platform_t *>(args[0])->product,
	    xlate <my_platform_t *>(args[0])->bios, xlate <my_platform_t *>(args[0])->hypervisor);
	printf("\n");
}

typedef struct my_boot {
	string release;
	uint64_t since;
	string command;
} my_boot_t;

translator my_boot_t < hw_boot_t *h > {
	release = stringof(h->release);
	since = h->time * 1000000000;
	command = stringof(h->command);
};

hwconfig:::boot
{
	printf("%-14s ", probename);
	printf("%s since %Y: %s",
	    xlate <my_boot_t *>(args[0])->release, xlate <my_boot_t *>(args[0])->since,
	    xlate <my_boot_t *>(args[0])->command);
	printf("\n");
}

typedef struct my_integrity {
	string lockdown;
	int signatures;
} my_integrity_t;

translator my_integrity_t < hw_integrity_t *h > {
	lockdown = stringof(h->lockdown);
	signatures = h->enforces_signatures;
};

hwconfig:::code-integrity
{
	printf("%-14s ", probename);
	printf("lockdown %s, signatures %d",
	    xlate <my_integrity_t *>(args[0])->lockdown, xlate <my_integrity_t *>(args[0])->signatures);
	printf("\n");
}

tick-1ms
{
	exit(0);
}
