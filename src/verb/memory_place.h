/* Where memory is that a call names: an address, a reference of the adapter's, or an expression whose value has one. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct call;

/* First member of the state of every call that uses it (call->state). */
struct memory_place {
    char *text;      /* as the call named it */
    char *reference; /* what is sent as memoryReference */
    bool evaluated;  /* the text was an expression */
    bool tried_address;
    void (*found)(struct call *call);
};
void memory_place_done(struct memory_place *place);

/* Within the call's turn. Finds place->reference for place->text and calls place->found, or ends the call. The text is sent as it is when it
 * is a number; otherwise it is evaluated in the call's frame: its memoryReference counts, else the address that its value is, else
 * where it is itself ("&(…)"). */
void memory_place_find(struct call *call, const char *text, void (*found)(struct call *call));

/* "0x…" or decimal digits, with nothing else around. */
bool memory_address_read(const char *text, uint64_t *ret);
