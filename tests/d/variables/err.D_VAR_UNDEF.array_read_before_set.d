/*
 * An array that nothing was assigned to is not known.
 *
 * line: 8
 * message: nosuch has not yet been declared or assigned
 */

BEGIN { trace(nosuch[1]); }
