/*
 * A parameter takes no storage class.
 *
 * line: 8
 * message: storage class not appropriate for a parameter
 */

int f(static int);
BEGIN { exit(0); }
