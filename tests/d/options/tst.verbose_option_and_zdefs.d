/*
 * With zdefs a description may match nothing.
 *
 * opts: -q -x zdefs
 */

nosuch:::probe { exit(1); }
BEGIN { printf("ok\n"); exit(0); }
