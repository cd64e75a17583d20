/*
 * A #line without a number is malformed.
 *
 * line: 8
 * message: malformed #line <line> [ ["file"] state ]
 */

#line
BEGIN { }
