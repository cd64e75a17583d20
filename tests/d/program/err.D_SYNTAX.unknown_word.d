/*
 * A word that is no type starts a clause, in a file.
 *
 * message: expected predicate and/or actions following probe description
 */

unknown_t x;
