/*
 * What has no value is no key.
 *
 * line: 8
 * message: void expression may not be used as associative array index: key #1
 */

BEGIN { a[(void)0] = 1; }
