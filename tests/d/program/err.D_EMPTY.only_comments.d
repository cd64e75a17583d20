/*
 * A program of comments only is empty.
 *
 * message: empty D program translation unit
 */

/* nothing here */
