/*
 * What is translated has no address: it is dynamic.
 *
 * line: 10
 * message: cannot take address of dynamic variable
 */

struct o { int a; };
translator struct o < int i > { a = i; };
BEGIN { trace(&(xlate <struct o>(1))); }
