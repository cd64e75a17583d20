/*
 * += does not.
 *
 * line: 8
 * message: x has not yet been declared or assigned
 */

BEGIN { x += 1; }
