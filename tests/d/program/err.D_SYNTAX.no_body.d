/*
 * In a file a specifier needs a predicate or actions.
 *
 * message: expected predicate and/or actions following probe description
 */

BEGIN
END { exit(0); }
