/*
 * Members of a union are at its start.
 *
 * opts: -q
 */

union u { int a; char b[8]; };
BEGIN { printf("%d %d %d\n", offsetof(union u, a), offsetof(union u, b), sizeof(union u)); exit(0); }
