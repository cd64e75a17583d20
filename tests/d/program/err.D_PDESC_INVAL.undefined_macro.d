/*
 * A macro in a description must be defined.
 *
 * message: invalid probe description "$1": Undefined macro variable in probe description
 * line: 8
 */

$1 { }
