/*
 * Not of self-> either.
 *
 * line: 8
 * message: self->x has not yet been declared or assigned
 */

BEGIN { self->x += 1; }
