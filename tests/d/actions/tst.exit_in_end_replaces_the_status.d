/*
 * An exit in END replaces the status.
 *
 * opts: -q
 * status: 7
 */

BEGIN { exit(3); }
END { exit(7); }
