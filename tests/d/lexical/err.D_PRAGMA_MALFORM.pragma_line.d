/*
 * #pragma D line without a number is an error.
 *
 * message: malformed #line <line> [ ["file"] state ]
 * line: 8
 */

#pragma D line "q.d"
BEGIN { exit(0); }
