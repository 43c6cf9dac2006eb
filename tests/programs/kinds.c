/* A value of each kind, to be set and looked at. */
#include <stdbool.h>
#include <stdio.h>

enum color { RED, GREEN = 5, BLUE };

struct flags {
    unsigned on : 1;
    unsigned level : 3;
    int shift : 4;
};

struct item {
    char name[16];
    double price;
    bool ok;
    char letter;
    enum color color;
    struct flags flags;
    int grid[2][3];
    struct item *next;
};

int main(void)
{
    struct item last = { .name = "last", .price = 2.5 };
    struct item item = { .name = "first", .price = 1.25, .ok = true, .letter = 'x', .color = BLUE, .flags = { 1, 5, -3 },
        .grid = { { 1, 2, 3 }, { 4, 5, 6 } }, .next = &last };
    int numbers[5] = { 1, 2, 3, 4, 5 };
    int *where = numbers;
    unsigned long huge = ~0ul;
    printf("%s %d %lu\n", item.next->name, *where, huge); /* mark: look */
    return 0;
}
