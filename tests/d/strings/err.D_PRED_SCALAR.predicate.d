/*
 * A string is no predicate.
 *
 * line: 8
 * message: predicate result must be of scalar type
 */

BEGIN /execname/ { exit(0); }
