/*
 * A variable's type must be complete.
 *
 * message: incomplete struct/union/enum struct q: p
 * line: 8
 */

struct q p;
BEGIN { exit(0); }
