#!/usr/sbin/dtrace -s
/* sleepers.d: switches by the kind the kernel gives them, as /proc counts them. */
#pragma D option quiet

sched:::sleep
/execname == "switches" && ppid == $target/
{
	@["sleeps"] = count();
}

sched:::preempt
/execname == "switches" && ppid == $target/
{
	@["preempted"] = count();
}
