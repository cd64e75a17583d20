/*
 * Before == the name of a type stays a type (before = it may be a variable).
 *
 * opts: -q
 * line: 10
 * message: syntax error near "foo_t == 5 ? "yes" : "no"); exit(0); }"
 */

typedef int foo_t;
BEGIN { foo_t = 5; foo_t++; foo_t--; trace(foo_t == 5 ? "yes" : "no"); exit(0); }
