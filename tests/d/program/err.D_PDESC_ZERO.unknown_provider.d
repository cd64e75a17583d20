/*
 * A description that matches no probe is an error.
 *
 * message: probe description nosuch:::p does not match any probes
 * line: 8
 */

nosuch:::p { }
