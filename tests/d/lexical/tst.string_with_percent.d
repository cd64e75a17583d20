/*
 * A percent sign in data is inert.
 *
 * opts: -q
 */

BEGIN { trace("100%d%s%n\n"); printf("%s", "50%\n"); exit(0); }
