/*
 * With pspec script text is read with the specifier-first rule of -n texts.
 *
 * opts: -q -x pspec
 */

BEGIN { printf("ok\n"); exit(0); }
