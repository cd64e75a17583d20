/*
 * print() takes values of at most printsize bytes.
 *
 * opts: -x printsize=16
 * line: 10
 * message: print( ) argument #1 is or points to 17 bytes, more than printsize (16): struct s
 */
struct s { char c[17]; };
BEGIN
{ print(*(struct s *)arg0); }
