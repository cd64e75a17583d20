/*
 * What is not chosen is parsed.
 *
 * message: syntax error near ":"
 * line: 9
 */

BEGIN
{ 0 ? 1 + : 1; }
