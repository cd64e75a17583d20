/*
 * Of %= the same.
 *
 * line: 8
 * message: expression contains division by zero
 */

BEGIN { x = 1; x %= 0; }
