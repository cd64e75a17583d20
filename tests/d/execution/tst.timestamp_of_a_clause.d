/*
 * timestamp is the same however often a clause reads it.
 *
 * opts: -q
 */

BEGIN { this->t = timestamp; x = this->t == timestamp; printf("%d\n", x); exit(0); }
