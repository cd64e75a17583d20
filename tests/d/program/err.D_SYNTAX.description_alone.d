/*
 * A description without actions is told by its own line.
 *
 * line: 9
 * message: expected predicate and/or actions following probe description
 */

BEGIN,
END

int x;
