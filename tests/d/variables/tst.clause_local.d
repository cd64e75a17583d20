/*
 * this-> variables are valid across the clauses of one firing.
 *
 * opts: -q
 */

BEGIN { this->x = 3; this->s = "abc"; }
BEGIN { printf("%d %s\n", this->x, this->s); this->x++; }
BEGIN { printf("%d\n", this->x); exit(0); }
