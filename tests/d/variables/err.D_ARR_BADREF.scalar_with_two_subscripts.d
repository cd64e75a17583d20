/*
 * A scalar takes no tuple.
 *
 * line: 8
 * message: cannot access scalar x as an associative array
 */

BEGIN { x = 1; x[1, 2] = 2; }
