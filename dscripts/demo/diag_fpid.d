#!/usr/bin/env -S dtrace -s
/* diag_fpid.d: what the fpid provider sends.  -c COMMAND */
#pragma D option quiet

/* a clause that only counts is done with in the program itself, and nothing is sent */
fpid$target:a.out::entry, fpid$target:a.out::return
{
	last = arg1;
	@[probefunc, probename] = count();
}

diag:::fpid
{
	@sent[arg0 ? "return" : "entry"] = count();
}

END
{
	printa("%-20s %-8s %@8d\n", @);
	printa("sent of %s: %@d\n", @sent);
}
