/*
 * An unknown unit creates nothing.
 *
 * line: 8
 * message: probe description :::tick-1fortnight does not match any probes
 */

tick-1fortnight { exit(0); }
