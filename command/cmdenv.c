#include "command/cmdenv.h"

#include <string.h>
#include <unistd.h>

static size_t name_length(const char *var)
{
	return strcspn(var, "=");
}

static void env_unset(struct cmdline *cmd, const char *name)
{
	size_t n = name_length(name);

	for (unsigned i = 0; i < cmd->nenv;)
		if (name_length(cmd->envp[i]) == n && strncmp(cmd->envp[i], name, n) == 0)
			cmd->envp[i] = cmd->envp[--cmd->nenv];
		else
			i++;
	cmd->envp[cmd->nenv] = NULL;
}

static size_t env_count(void)
{
	size_t n = 0;

	while (environ[n])
		n++;
	return n;
}

static void env_set(struct cmdline *cmd, char *var)
{
	cmd->envp[cmd->nenv++] = var;
	cmd->envp[cmd->nenv] = NULL;
}

void cmdenv_change(struct cmdline *cmd, struct arena *a, const char *option, const char *var)
{
	const char *tail = strchr(var, '=') ? "" : "=";

	if (strcmp(option, "setenv") != 0 && strcmp(option, "unsetenv") != 0)
		return;
	env_unset(cmd, var);
	if (option[0] == 's')
		env_set(cmd, arena_printf(a, "%s%s", var, tail));
}

void cmdenv_init(struct cmdline *cmd, struct arena *a, unsigned nargs)
{
	/* each argument sets one variable at most, as each of DTRACE_OPT_* does */
	cmd->envp = arena_alloc(a, (2 * env_count() + nargs + 1) * sizeof(*cmd->envp));
	for (char **var = environ; *var; var++)
		env_set(cmd, *var);
}
