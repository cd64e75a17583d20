/*
 * A predicate needs actions.
 *
 * message: expected actions { } following probe description and predicate
 */

BEGIN /1/;
