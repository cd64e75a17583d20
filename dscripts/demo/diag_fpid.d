#!/usr/bin/env -S dtrace -s
/* diag_fpid.d: what the fpid provider sends.  -c COMMAND */
#pragma D option quiet

/* what a clause does with numbers is done in the program itself, and nothing is sent; to assign a
 * text that all threads share takes a record of each hit */
fpid$target:a.out::entry, fpid$target:a.out::return
{
	last = probefunc;
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
