/*
 * %T prints it with the weekday and the zone.
 *
 * opts: -q
 * env: TZ=UTC
 */

BEGIN { printf("%T\n", 0LL); exit(0); }
