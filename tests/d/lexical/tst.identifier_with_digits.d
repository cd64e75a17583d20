/*
 * Identifiers hold letters, digits and underscores.
 *
 * opts: -q
 */

BEGIN { _a1 = 1; A_1b = 2; trace(_a1 + A_1b); exit(0); }
