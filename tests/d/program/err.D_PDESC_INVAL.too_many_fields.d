/*
 * A description has at most four fields.
 *
 * message: invalid probe description "a:b:c:d:e": Overspecified probe description
 * line: 8
 */

a:b:c:d:e { }
