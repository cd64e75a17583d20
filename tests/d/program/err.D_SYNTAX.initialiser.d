/*
 * A declaration never has an initialiser.
 *
 * message: syntax error near "="
 * line: 8
 */

int x = 3;
BEGIN { exit(0); }
