/*
 * %% prints a percent sign.
 *
 * opts: -q
 */

BEGIN { printf("100%%|%d%%\n", 5); exit(0); }
