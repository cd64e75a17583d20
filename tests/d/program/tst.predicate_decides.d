/*
 * A clause runs only when its predicate is not zero.
 *
 * opts: -q
 */

BEGIN /0/ { printf("never\n"); }
BEGIN /1/ { printf("always\n"); }
BEGIN /pid == 0 - 1/ { printf("never\n"); }
BEGIN /-1/ { printf("negative is true\n"); exit(0); }
