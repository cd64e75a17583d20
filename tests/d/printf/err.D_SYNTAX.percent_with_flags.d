/*
 * It takes no flags.
 *
 * line: 8
 * message: format conversion #1 cannot be combined with other format flags: %%
 */

BEGIN { printf("%5%"); }
