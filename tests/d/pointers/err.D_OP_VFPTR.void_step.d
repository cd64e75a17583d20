/*
 * It cannot be stepped.
 *
 * line: 9
 * message: operator ++ requires an operand of known size
 */

void *p;
BEGIN { p++; }
