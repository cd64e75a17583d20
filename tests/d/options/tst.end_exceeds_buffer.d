/*
 * With bufpolicy=fill the records of END must fit into the buffer.
 *
 * opts: -q -x bufpolicy=fill -b 8
 * status: 1
 */

BEGIN
{
	exit(0);
}

END
{
	printf("end\n");
}

END
{
	printf("end\n");
}

END
{
	printf("end\n");
}
