#!/usr/bin/env -S dtrace -s
/* hwconfig.d: the configuration of the machine, one kind of record after the other. */
#pragma D option quiet

hwconfig:::cpu
{
	printf("%-14s %d x %s, %d MB\n", probename, args[0]->ncpus, args[0]->model, args[0]->memory >> 20);
}

hwconfig:::processor
{
	printf("%-14s %d: core %d of package %d, beside %s\n", probename, args[0]->cpu, args[0]->core,
	    args[0]->package, args[0]->siblings);
}

hwconfig:::disk-phy
{
	printf("%-14s %s: %d MB, sectors of %d, %s\n", probename, args[0]->name, args[0]->bytes >> 20,
	    args[0]->sector, args[0]->model);
}

hwconfig:::disk-optical
{
	printf("%-14s %s %s\n", probename, args[0]->name, args[0]->vendor);
}

hwconfig:::disk-log
{
	printf("%-14s %s on %s (%s), %d MB\n", probename, args[0]->device, args[0]->mount, args[0]->fs,
	    args[0]->bytes >> 20);
}

hwconfig:::nic
{
	printf("%-14s %s: %s %s, up to %d bytes\n", probename, args[0]->name, args[0]->address, args[0]->ipv4,
	    args[0]->mtu);
}

hwconfig:::network
{
	printf("%-14s %s, gateway %s, resolver %s\n", probename, args[0]->host, args[0]->gateway, args[0]->dns);
}

hwconfig:::service
{
	printf("%-14s %s: process %d, %d threads\n", probename, args[0]->name, args[0]->pid, args[0]->nthreads);
}

hwconfig:::power
{
	printf("%-14s %s, %d%%, %s\n", probename, args[0]->states, args[0]->capacity, args[0]->cpufreq);
}

hwconfig:::irq
{
	printf("%-14s %d: %s, %d times, on %s\n", probename, args[0]->number, args[0]->name, args[0]->count,
	    args[0]->affinity);
}

hwconfig:::pnp
{
	printf("%-14s %s: %04x:%04x %s\n", probename, strjoin(args[0]->bus, strjoin(" ", args[0]->id)),
	    args[0]->vendor, args[0]->device, args[0]->driver);
}

hwconfig:::platform
{
	printf("%-14s %s %s, BIOS %s, hypervisor %s\n", probename, args[0]->vendor, args[0]->product, args[0]->bios,
	    args[0]->hypervisor);
}

hwconfig:::boot
{
	printf("%-14s %s since %Y: %s\n", probename, args[0]->release, args[0]->time * 1000000000, args[0]->command);
}

hwconfig:::code-integrity
{
	printf("%-14s lockdown %s, signatures %d\n", probename, args[0]->lockdown, args[0]->enforces_signatures);
}

tick-1ms
{
	exit(0);
}
