/*
 * %Y prints the time of nanoseconds since 1970.
 *
 * opts: -q
 * env: TZ=UTC
 */

BEGIN { printf("%Y|%Y\n", 0LL, 946684799000000000); exit(0); }
