/*
 * x, self->x and this->x are three variables.
 *
 * opts: -q
 */

BEGIN { x = 1; self->x = "two"; this->x = 3; printf("%d %s %d\n", x, self->x, this->x); exit(0); }
