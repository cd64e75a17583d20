/*
 * Records that find no room, here while the front waits for a command of system(), are dropped
 * and counted.
 *
 * opts: -q -w -x bufsize=1k
 */

int n;
BEGIN { system("sleep 0.5"); }
tick-1000hz { n++; printf("%s\n", "x"); }
tick-1000hz /n >= 100/ { exit(0); }
