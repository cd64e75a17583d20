/*
 * A bit-field may be of an enum.
 *
 * opts: -q
 */

enum e { A, B, C };
struct s { enum e x:3; };
struct s v;
BEGIN { v.x = C; printf("%d\n", v.x == C); exit(0); }
