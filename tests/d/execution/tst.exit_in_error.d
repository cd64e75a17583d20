/*
 * exit in ERROR ends the session.
 *
 * opts: -q
 * status: 5
 */

BEGIN { y = 5; @a = count(); x = 0; z = 3 / x; y = 6; }
ERROR { exit(y); }
END { trace("end"); }
