/*
 * %p prints hex without 0x; %#p with it.
 *
 * opts: -q
 */

BEGIN { printf("%p %p %#p %p\n", -1, NULL, 255, (int *)4096); exit(0); }
