/*
 * Clause-local variables are no arrays.
 *
 * line: 8
 * message: local variables may not be used as associative arrays: a
 */

BEGIN { this->a[1] = 1; }
