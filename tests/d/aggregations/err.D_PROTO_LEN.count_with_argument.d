/*
 * count takes no argument.
 *
 * line: 8
 * message: count( ) prototype mismatch: 1 arg passed, 0 expected
 */

BEGIN { @a = count(1); }
