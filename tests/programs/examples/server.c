/* A program that runs already. */
#include <unistd.h>

int main(void)
{
    for (;;)
        usleep(10000);
}
