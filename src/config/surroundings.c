#include "config/surroundings.h"

#include "adapter/string_list.h"
#include "base/memory.h"

#include <stddef.h>
#include <string.h>

static const char *const variables[] = {
    "PAGER=cat",
    "GIT_PAGER=cat",
    "MANPAGER=cat",
    "SYSTEMD_PAGER=cat",
    "BAT_PAGER=cat",
    "DELTA_PAGER=cat",
    "GH_PAGER=cat",
    "GLAB_PAGER=cat",
    "PSQL_PAGER=cat",
    "MYSQL_PAGER=cat",
    "AWS_PAGER=",
    "HOMEBREW_PAGER=cat",
    "LESS=FRX",
    "TERM=dumb",
    "GPG_TTY=not a tty",
    "PYTHONUNBUFFERED=1",
    "GIT_EDITOR=true",
    "VISUAL=true",
    "EDITOR=true",
    "GIT_TERMINAL_PROMPT=0",
    "SSH_ASKPASS=/usr/bin/false",
    "npm_config_yes=true",
    "npm_config_update_notifier=false",
    "npm_config_fund=false",
    "npm_config_audit=false",
    "npm_config_progress=false",
    "PNPM_DISABLE_SELF_UPDATE_CHECK=true",
    "PNPM_UPDATE_NOTIFIER=false",
    "YARN_ENABLE_TELEMETRY=0",
    "YARN_ENABLE_PROGRESS_BARS=0",
    "CARGO_TERM_PROGRESS_WHEN=never",
    "DEBIAN_FRONTEND=noninteractive",
    "PIP_NO_INPUT=1",
    "PIP_DISABLE_PIP_VERSION_CHECK=1",
    "TF_INPUT=0",
    "TF_IN_AUTOMATION=1",
    "GH_PROMPT_DISABLED=1",
    "COMPOSER_NO_INTERACTION=1",
    "CLOUDSDK_CORE_DISABLE_PROMPTS=1",
};

static void add_unless_set(struct string_list *list, const char *variable)
{
    AUTO_FREE char *name = xstrndup(variable, strcspn(variable, "="));
    if (getenv(name) == NULL)
        string_list_add(list, variable);
}

char **surroundings_new(bool ci, bool no_color)
{
    struct string_list list = { 0 };
    for (size_t i = 0; i < COUNT_OF(variables); i++)
        add_unless_set(&list, variables[i]);
    if (ci)
        add_unless_set(&list, "CI=1");
    if (no_color)
        add_unless_set(&list, "NO_COLOR=1");
    return string_list_give(&list);
}
