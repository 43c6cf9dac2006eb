/* Loads the library that it is given, and calls it three times. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int sum = argc; /* mark: first */
    void *library = dlopen(argv[1], RTLD_NOW);
    int (*answer)(int) = library == NULL ? NULL : (int (*)(int))dlsym(library, "library_answer");
    for (int question = 1; answer != NULL && question <= 3; question++)
        sum += answer(question);
    printf("%d\n", sum);
    return 0;
}
