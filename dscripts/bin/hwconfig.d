#!/usr/bin/env -S dtrace -s
/* hwconfig.d: what the machine is. */
#pragma D option quiet

/* what the machine does not tell is named, where that is the whole answer */
hwconfig:::platform /args[0]->vendor != "" || args[0]->product != ""/ { printf("platform     %s %s %s\n", args[0]->vendor, args[0]->product, args[0]->version); }
hwconfig:::platform /args[0]->vendor == "" && args[0]->product == ""/ { printf("platform     not told: %s\n", args[0]->missing); }
hwconfig:::virtualization /args[0]->hypervisor != ""/ { printf("hypervisor   %s\n", args[0]->hypervisor); }
hwconfig:::virtualization /args[0]->container != ""/ { printf("container    %s\n", args[0]->container); }
hwconfig:::boot { printf("kernel       %s, since %Y\n", args[0]->release, args[0]->time * 1000000000); }
hwconfig:::cpu { printf("cpu          %d x %s, %d MB\n", args[0]->ncpus, args[0]->model, args[0]->memory >> 20); }
hwconfig:::processor { printf("processor    %d: core %d, package %d, L2 %d KB\n", args[0]->cpu, args[0]->core, args[0]->package, args[0]->l2 >> 10); }
hwconfig:::disk-phy /args[0]->bytes/ { printf("disk         %s: %d MB %s\n", args[0]->name, args[0]->bytes >> 20, args[0]->model); }
hwconfig:::disk-log { printf("file system  %s on %s (%s), %d MB free\n", args[0]->device, args[0]->mount, args[0]->fs, args[0]->avail >> 20); }
hwconfig:::disk-optical { printf("optical      %s\n", args[0]->name); }
hwconfig:::nic { printf("interface    %s: %s %s\n", args[0]->name, args[0]->address, args[0]->ipv4); }
hwconfig:::network { printf("network      %s, gateway %s, resolver %s\n", args[0]->host, args[0]->gateway, args[0]->dns); }
hwconfig:::power /args[0]->states != ""/ { printf("power        states %s, supply %s\n", args[0]->states, args[0]->supply == "" ? "not told" : args[0]->supply); }
hwconfig:::power /args[0]->states == ""/ { printf("power        not told: %s\n", args[0]->missing); }
hwconfig:::pnp { printf("device       %s %s: %04x:%04x %s\n", args[0]->bus, args[0]->id, args[0]->vendor, args[0]->device, args[0]->driver); }
hwconfig:::video { printf("graphics     %s %04x:%04x %s\n", args[0]->name, args[0]->vendor, args[0]->device, args[0]->driver); }
hwconfig:::dpi { printf("screen       %s: %dx%d, %d dpi %s %s\n", args[0]->name, args[0]->width, args[0]->height, args[0]->dpi, args[0]->vendor, args[0]->model); }
hwconfig:::irq /args[0]->count/ { printf("interrupt    %d: %d times, %s\n", args[0]->number, args[0]->count, args[0]->name); }
hwconfig:::code-integrity
{
	printf("integrity    lockdown: %s, signatures of modules: %s\n", args[0]->lockdown == "" ? "not told" : args[0]->lockdown,
	    args[0]->enforces_signatures < 0 ? "not told" : args[0]->enforces_signatures ? "demanded" : "not demanded");
}

tick-1ms { exit(0); }
