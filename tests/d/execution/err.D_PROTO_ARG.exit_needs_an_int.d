/*
 * exit takes an integer.
 *
 * line: 7
 */

BEGIN { exit("a"); }
