/*
 * A typedef cannot be given twice, not even for the same type.
 *
 * message: typedef redeclared: foo
 * line: 9
 */

typedef int foo;
typedef int foo;
BEGIN { exit(0); }
