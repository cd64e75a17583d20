#!/usr/bin/env -S dtrace -s
/* dnet.d: collections of garbage, classes and modules, threads, exceptions of a runtime.  -c COMMAND or -p PID */
#pragma D option quiet

dnet:::gc-start { self->began = timestamp; }
dnet:::gc-end /self->began/ { @pauses["collections, microseconds"] = quantize((timestamp - self->began) / 1000); self->began = 0; }
dnet::gc:gc-start, dnet::loader:module-load, dnet::thread:thr-start, dnet::event:excp { @[probemod, probefunc, probename] = count(); }

END
{
	printa("%-8s %-8s %-16s %@8d\n", @);
	printa(@pauses);
}
