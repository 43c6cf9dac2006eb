/* An object file and a shared library: no program. */
int library_answer(void);

int library_answer(void)
{
    return 42;
}
