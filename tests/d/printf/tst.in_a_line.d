/*
 * Without -q the line's prefix and newline stand around it.
 */

BEGIN { printf("text\n"); exit(0); }
