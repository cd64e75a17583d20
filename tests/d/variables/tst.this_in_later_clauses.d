/*
 * Clause-local variables last from clause to clause of a firing.
 *
 * opts: -q
 */

BEGIN { this->x = 5; }
BEGIN { printf("%d\n", this->x); this->x = 6; }
BEGIN { printf("%d\n", this->x); exit(0); }
