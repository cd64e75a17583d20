#!/usr/bin/env -S dtrace -s
/* hello.d: the least program. */
#pragma D option quiet

BEGIN { printf("Hello World\n"); exit(0); }
