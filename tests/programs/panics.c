/* Stands in for a Rust program: the message and the functions of Rust's runtime that its panics go through. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf caught;

/* The symbol by which such a program is known; without line numbers, as in a library of others. */
void rust_panic(void);
__asm__(".globl rust_panic\n.type rust_panic, %function\nrust_panic:\n.cfi_startproc\nnop\nret\n.cfi_endproc\n"
        ".size rust_panic, . - rust_panic\n");

static void panic(const char *message)
{
    fprintf(stderr, "\nthread 'main' panicked at panics.c:1:2:\n%s\nnote: run with more\n", message);
    rust_panic();
}

static void work(int amount)
{
    if (amount > 1) {
        panic("caught at once");
        longjmp(caught, 1);
    }
}

/* As in Rust, it is called by the code that catches. */
static int catch_unwind(int amount)
{
    if (setjmp(caught) != 0)
        return -1;
    work(amount);
    return amount;
}

static void fails(int amount)
{
    if (amount < 0)
        panic("the amount is negative"); /* mark: panic */
}

int main(void)
{
    int amount = catch_unwind(2); /* mark: catch */
    fails(amount);
    amount = catch_unwind(3);
    fails(amount);
    return 101;
}
