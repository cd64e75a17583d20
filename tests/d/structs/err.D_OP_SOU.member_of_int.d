/*
 * . applies to structures only.
 *
 * line: 8
 * message: operator . cannot be applied to type "pid_t"; must be applied to a struct or union
 */

BEGIN { trace(pid.x); }
