/*
 * tick-0 creates nothing.
 *
 * line: 7
 */

tick-0 { exit(0); }
