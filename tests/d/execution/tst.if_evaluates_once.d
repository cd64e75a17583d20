/*
 * The condition is evaluated once.
 *
 * opts: -q
 */

BEGIN { n = 0; if (n++) { printf("a"); } else { printf("b"); } printf("%d\n", n); exit(0); }
