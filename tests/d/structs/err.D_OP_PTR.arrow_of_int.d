/*
 * -> applies to pointers only.
 *
 * line: 8
 * message: operator -> must be applied to a pointer
 */

BEGIN { trace(pid->x); }
