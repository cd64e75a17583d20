/*
 * The format is not empty.
 *
 * line: 8
 * message: printf( ) format string is empty
 */

BEGIN { printf(""); }
