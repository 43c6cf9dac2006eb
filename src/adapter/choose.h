/* The choice of an adapter among given ones: the catalog's with what the user's settings put before or in place of them. */
#pragma once

#include "adapter/catalog.h"

int adapter_choose_among(const struct adapter_entry *const *entries, size_t count, const char *program, const char *wanted,
                         struct adapter_choice *ret_choice, struct error *ret_error);
