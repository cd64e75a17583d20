/*
 * A clause must be closed.
 *
 * message: syntax error near end of input
 */

BEGIN { exit(0);
