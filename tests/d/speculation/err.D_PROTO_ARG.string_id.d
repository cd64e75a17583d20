/*
 * The ID is an integer.
 *
 * line: 7
 */

BEGIN { speculate("a"); }
