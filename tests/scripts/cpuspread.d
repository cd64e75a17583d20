#!/usr/sbin/dtrace -s
/* cpuspread.d: which CPUs a program is seen on. */
#pragma D option quiet
#pragma D option aggpack
#pragma D option aggzoom

profile:::profile-499
/pid == $target/
{
	@spread = lquantize(cpu, 0, 512, 1);
	@n["samples"] = count();
	@odd["odd"] = sum(curcpu->cpu_id != cpu);
}

dtrace:::END
{
	printa(@spread);
	printa(@n);
	printa(@odd);
}
