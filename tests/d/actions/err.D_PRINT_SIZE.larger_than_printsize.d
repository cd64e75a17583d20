/*
 * print() takes values of at most printsize bytes.
 *
 * opts: -x printsize=16
 * line: 9
 */
struct s { char c[17]; };
BEGIN
{ print(*(struct s *)arg0); }
