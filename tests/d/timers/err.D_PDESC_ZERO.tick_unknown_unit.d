/*
 * An unknown unit creates nothing.
 *
 * line: 7
 */

tick-1fortnight { exit(0); }
