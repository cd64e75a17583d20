#!/usr/bin/env -S dtrace -s
/* diag.d: what of another program's events comes, is taken by no clause, or has no stack.  -s OTHER.d */
#pragma D option quiet

diag:::events { @[args[0], "events"] = count(); }
diag:::ignored { @[args[0], "ignored"] = count(); }
diag:::lostevent { @lost = sum(arg0); }
diag:::missed-ustack, diag:::missed-stack, diag:::missed-dnet-stack { @[execname, probename] = count(); }

END { printa("%-16s %-18s %@10d\n", @); printa("lost %@d\n", @lost); }
