/*
 * Nor is one of self.
 *
 * line: 8
 * message: self->nosuch has not yet been declared or assigned
 */

BEGIN { trace(self->nosuch[1]); }
