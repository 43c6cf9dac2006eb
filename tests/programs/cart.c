/* Nested data, a loop, calls to step into and out of. */
#include <stdio.h>
#include <stdlib.h>

struct item {
    const char *name;
    int price;
    int qty;
    struct {
        int heavy;
        int fresh;
    } flags;
};

static int cost(const struct item *item)
{
    int amount = item->price * item->qty; /* mark: cost */
    return amount; /* mark: cost-return */
}

static int total(const struct item *items, int count)
{
    int result = 0;
    for (int index = 0; index < count; index++) {
        result += cost(&items[index]); /* mark: loop */
    }
    return result; /* mark: total-return */
}

int main(int argc, char **argv)
{
    struct item items[] = {{"apple", 2, 3, {0, 1}}, {"pear", 5, 1, {0, 1}}, {"plum", 1, 10, {1, 0}}, {"fig", 7, 2, {0, 0}}};
    const char *label = "cart";
    int result = total(items, 4); /* mark: call */
    printf("%s %d\n", label, result); /* mark: print */
    return argc > 1 ? atoi(argv[1]) : 0; /* mark: end */
}
