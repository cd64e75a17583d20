/*
 * A format needs an aggregation.
 *
 * line: 8
 * message: printa( ) prototype mismatch: 1 args passed, 2 expected
 */

BEGIN { printa("%d"); }
