/*
 * A lone name at file level is not a declaration.
 *
 * message: syntax error near ";"
 * line: 8
 */

foo;
