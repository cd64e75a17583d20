/*
 * Enumerators are constants: of arrays, other enums, predicates.
 *
 * opts: -q
 */

enum e { N = 3, M = N * 2 };
int a[N];
BEGIN /M == 6/ { a[N - 1] = M; printf("%d %d\n", a[2], sizeof(a)); exit(0); }
