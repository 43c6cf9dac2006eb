/* An object file and a shared library: no program. loads.c calls it. */
int library_answer(int question);

int library_answer(int question)
{
    return 39 + question; /* mark: answer */
}
