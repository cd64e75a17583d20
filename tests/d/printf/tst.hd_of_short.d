/*
 * %hd takes shorts.
 *
 * opts: -q
 */

BEGIN { printf("%hd %hx\n", (short)-2, (short)-2); exit(0); }
