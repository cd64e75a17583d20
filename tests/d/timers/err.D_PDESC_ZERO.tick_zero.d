/*
 * tick-0 creates nothing.
 *
 * line: 8
 * message: probe description :::tick-0 does not match any probes
 */

tick-0 { exit(0); }
