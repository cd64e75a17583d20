/*
 * self is followed by ->.
 *
 * line: 8
 * message: pointer 'self' may not be referenced as scalar
 */

BEGIN { self; }
