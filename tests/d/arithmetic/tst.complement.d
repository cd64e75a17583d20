/*
 * ~ keeps the type of its operand.
 *
 * opts: -q
 */

BEGIN { c = (char)5; printf("%d %d %d\n", ~c, sizeof(~c), ~0UL == 18446744073709551615UL); exit(0); }
