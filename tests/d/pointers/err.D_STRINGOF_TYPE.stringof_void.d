/*
 * stringof does not apply to void.
 *
 * line: 8
 * message: cannot apply stringof to a value of type void
 */

BEGIN { trace(stringof((void)0)); }
