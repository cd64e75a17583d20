/*
 * /= and %= by a constant zero are refused at once.
 *
 * line: 8
 * message: expression contains division by zero
 */

BEGIN { x = 1; x /= 0; }
