/*
 * ? is the width of a pointer.
 *
 * opts: -q
 */

BEGIN { printf("[%?x|%-?x|%0?x]\n", 255, 255, 255); exit(0); }
