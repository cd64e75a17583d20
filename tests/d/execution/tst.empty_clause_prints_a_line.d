/*
 * An empty clause prints the line of its probe.
 */

BEGIN { }
BEGIN { exit(0); }
