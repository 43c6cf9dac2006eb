/* The command that installs an adapter on this system. */
#pragma once

struct adapter_entry;

/* Never NULL; points into the catalog. */
const char *install_hint(const struct adapter_entry *entry);

/* The same for a system described by the text of its os-release file; NULL text: not Linux. */
const char *install_hint_for(const struct adapter_entry *entry, const char *os_release);
