/*
 * What is there is no error.
 *
 * opts: -q
 */

#pragma D depends_on provider dtrace
#pragma D depends_on provider profile
BEGIN { exit(0); }
