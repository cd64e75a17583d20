/*
 * The automatic + 1 of an enumerator is not checked.
 *
 * opts: -q
 */

enum { LARGEST = 2147483647, NEXT };
BEGIN { trace(NEXT); exit(0); }
