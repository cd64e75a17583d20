/*
 * The storage classes of C have no meaning in D.
 *
 * message: specified storage class not appropriate in D
 * line: 8
 */

static int x;
BEGIN { exit(0); }
