/*
 * Nor to an action.
 *
 * line: 8
 * message: cannot apply stringof to a value of type void
 */

BEGIN { trace(stringof printf("a")); }
