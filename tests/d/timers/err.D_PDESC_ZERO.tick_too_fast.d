/*
 * More than 5000 per second creates nothing.
 *
 * line: 8
 * message: probe description :::tick-5001hz does not match any probes
 */

tick-5001hz { exit(0); }
