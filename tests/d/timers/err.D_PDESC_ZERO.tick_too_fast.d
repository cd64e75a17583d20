/*
 * More than 5000 per second creates nothing.
 *
 * line: 7
 */

tick-5001hz { exit(0); }
