/*
 * else belongs to an if.
 *
 * line: 8
 * message: syntax error near "else"
 */

BEGIN { else { trace(1); } }
