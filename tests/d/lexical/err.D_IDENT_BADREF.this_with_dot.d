/*
 * this is followed by ->, not by a dot.
 *
 * line: 8
 * message: pointer 'this' may not be referenced as scalar
 */

BEGIN { this.x = 1; }
