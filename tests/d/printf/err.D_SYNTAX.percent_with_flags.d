/*
 * %% takes no flags.
 *
 * message: format conversion #1 cannot be combined with other format flags: %%
 * line: 10
 */

BEGIN
{
	printf("%5%");
}
