/*
 * The output is a structure or a union.
 *
 * line: 8
 * message: translator output type must be a struct or union
 */

translator int < struct i *v > { };

BEGIN { exit(0); }
