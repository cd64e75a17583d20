/*
 * A clause begins with a probe description.
 *
 * message: syntax error near "{"
 * line: 8
 */

{ exit(0); }
