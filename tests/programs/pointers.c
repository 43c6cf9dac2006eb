/* Pointers to a structure, to a number, to nothing, and to where nothing is any more. */
struct point {
    int x, y;
};

static int look(void)
{
    struct point place = { 3, 4 };
    int number = 5;
    struct point *to_place = &place, *to_nothing = 0, *astray = (struct point *)8;
    int *to_number = &number;
    void *untold = &place;
    return to_place->x + *to_number + (to_nothing == 0) + (astray == untold); /* mark: look */
}

int main(void)
{
    return look() > 0 ? 0 : 1;
}
