/*
 * What has no size is not printed.
 *
 * line: 10
 * message: print( ) argument #1 reference has type 'struct s' with size 0; cannot print( ) it.
 */

struct s;
struct s *p;
BEGIN { print(p); }
