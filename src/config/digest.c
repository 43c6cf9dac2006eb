#include "config/digest.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define BLOCK 64

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turned(uint32_t value, unsigned by)
{
    return value >> by | value << (32 - by);
}

static void schedule(const unsigned char *block, uint32_t words[64])
{
    for (unsigned i = 0; i < 16; i++) {
        const unsigned char *at = block + (size_t)4 * i;
        words[i] = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
    }
    for (unsigned i = 16; i < 64; i++) {
        uint32_t small0 = turned(words[i - 15], 7) ^ turned(words[i - 15], 18) ^ words[i - 15] >> 3;
        uint32_t small1 = turned(words[i - 2], 17) ^ turned(words[i - 2], 19) ^ words[i - 2] >> 10;
        words[i] = words[i - 16] + small0 + words[i - 7] + small1;
    }
}

static void take_block(uint32_t state[8], const unsigned char *block)
{
    uint32_t words[64];
    uint32_t now[8];
    schedule(block, words);
    memcpy(now, state, sizeof now);
    for (unsigned i = 0; i < 64; i++) {
        uint32_t big1 = turned(now[4], 6) ^ turned(now[4], 11) ^ turned(now[4], 25);
        uint32_t choice = (now[4] & now[5]) ^ (~now[4] & now[6]);
        uint32_t first = now[7] + big1 + choice + constants[i] + words[i];
        uint32_t big0 = turned(now[0], 2) ^ turned(now[0], 13) ^ turned(now[0], 22);
        uint32_t majority = (now[0] & now[1]) ^ (now[0] & now[2]) ^ (now[1] & now[2]);
        memmove(now + 1, now, 7 * sizeof *now);
        now[4] += first;
        now[0] = first + big0 + majority;
    }
    for (unsigned i = 0; i < 8; i++)
        state[i] += now[i];
}

/* The rest of the text, a one bit, and its length in bits: one block or two. */
static void take_end(uint32_t state[8], const unsigned char *rest, size_t rest_len, uint64_t len)
{
    unsigned char end[2 * BLOCK] = { 0 };
    size_t size = rest_len + 9 <= BLOCK ? BLOCK : 2 * BLOCK;
    memcpy(end, rest, rest_len);
    end[rest_len] = 0x80;
    for (unsigned i = 0; i < 8; i++)
        end[size - 1 - i] = (unsigned char)(len * 8 >> 8 * i);
    for (size_t at = 0; at < size; at += BLOCK)
        take_block(state, end + at);
}

void digest_of(const void *bytes, size_t len, char ret[DIGEST_SIZE])
{
    uint32_t state[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
    const unsigned char *at = bytes;
    size_t whole = len - len % BLOCK;
    for (size_t done = 0; done < whole; done += BLOCK)
        take_block(state, at + done);
    take_end(state, at + whole, len - whole, len);
    for (size_t i = 0; i < 8; i++)
        snprintf(ret + 8 * i, 9, "%08x", state[i]);
}
