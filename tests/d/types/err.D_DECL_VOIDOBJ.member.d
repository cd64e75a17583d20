/*
 * There are no void members.
 *
 * message: cannot have void member: a
 * line: 8
 */

struct s { void a; };
BEGIN { exit(0); }
