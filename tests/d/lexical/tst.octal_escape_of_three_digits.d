/*
 * An octal escape has at most three digits.
 *
 * opts: -q
 */

BEGIN { printf("%s\n", "\1014\60"); exit(0); }
