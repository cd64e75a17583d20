#!/usr/sbin/dtrace -Zs
/*
 * javavm.d: life of a virtual machine of Java: classes, collections of garbage, threads.
 */
#pragma D option quiet

hotspot$target:::class-loaded
{
	@["classes"] = count();
	@named["named", stringof(copyin(arg0, arg1))] = count();
}

hotspot$target:::gc-begin
{
	@["gc"] = count();
}

hotspot$target:::vm-shutdown
{
	@["shutdowns"] = count();
}

dtrace:::END
{
	printa("%s %@d\n", @);
	printa("%s %s %@d\n", @named);
}
