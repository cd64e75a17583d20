/*
 * Bodies may be empty.
 *
 * opts: -q
 */

BEGIN { if (1) { } else { printf("a"); } if (0) ; else printf("b\n"); exit(0); }
