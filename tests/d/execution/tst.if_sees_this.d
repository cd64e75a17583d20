/*
 * Variables of the clause are seen in all pieces.
 *
 * opts: -q
 */

BEGIN { this->x = 1; if (this->x) { this->x = 2; } printf("%d\n", this->x); exit(0); }
