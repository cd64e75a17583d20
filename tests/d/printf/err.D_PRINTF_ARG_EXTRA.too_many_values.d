/*
 * Each value has a conversion.
 *
 * line: 8
 * message: printf( ) prototype mismatch: only 1 arguments required by this format string
 */

BEGIN { printf("%d", 1, 2, 3); }
