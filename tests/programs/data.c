/* Values that are hard to show. */
#include <stdio.h>
#include <string.h>

union both {
    int number;
    char bytes[4];
};
struct node {
    int value;
    struct node *next;
    unsigned flag : 3;
};
enum color { RED, GREEN = 5 };

int main(void)
{
    int numbers[10000];
    char text[2000];
    union both both = {0x41424344};
    struct node last = {2, NULL, 5}, first = {1, &last, 1};
    enum color color = GREEN;
    char binary[] = "\001\377\033[31m\nend";
    const struct node *wild = (const struct node *)16;
    double ratio = 1.0 / 3;
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    for (int index = 0; index < 10000; index++) {
        numbers[index] = index;
    }
    last.next = &first;
    printf("%d %d %c %p\n", numbers[9], both.number, binary[7], (const void *)wild); /* mark: end */
    printf("%f %d %s\n", ratio, (int)color, text + 1990);
    return 0;
}
