/*
 * sizeof takes every type name.
 *
 * opts: -q
 */

BEGIN { printf("%d %d %d %d\n", sizeof(int [4]), sizeof(char *), sizeof(void *), sizeof(int (*)(int))); exit(0); }
