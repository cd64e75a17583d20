/*
 * Any integer may be assigned to an enum variable.
 *
 * opts: -q
 */

enum e { A };
enum e x;
BEGIN { x = 77; trace(x); exit(0); }
