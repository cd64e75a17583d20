/*
 * long goes with integers and floats only.
 *
 * message: invalid type declaration: long and long long may only be used with integer or floating-point type
 * line: 9
 */

struct s { int a; };
long struct s x;
BEGIN { exit(0); }
