/*
 * A format without conversions prints itself.
 *
 * opts: -q
 */

BEGIN { printf("just text\n"); exit(0); }
