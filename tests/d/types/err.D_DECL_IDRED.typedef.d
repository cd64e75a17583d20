/*
 * A typedef cannot be given twice for two types.
 *
 * message: typedef redeclared: foo
 * line: 9
 */

typedef int foo;
typedef long foo;
BEGIN { exit(0); }
