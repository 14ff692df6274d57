/* Unit tests of flat positions and of the views, each against a map worked out by hand. */
#include "unit_idx.h"

START_TEST(flat_positions_and_digits_are_inverse)
{
    const int64_t dims[] = { 6, 8, 10 }, other[] = { 4, 1, 120 };
    const Idx *at[3] = { i0, i1, i2 }, *back[3], *there[3], *flat = idx_flat(c, 3, dims, at);
    PRINTS(flat, "80*i0 + 10*i1 + i2");
    idx_unflat(c, flat, 3, dims, back);
    for (int i = 0; i < 3; i++)
        ck_assert_ptr_eq(back[i], at[i]);
    idx_unflat(c, flat, 3, other, there);
    ck_assert_ptr_eq(there[1], num(0));
    BOUNDS(there[0], 0, 3);
    BOUNDS(there[2], 0, 119);
    ck_assert_ptr_eq(idx_flat(c, 3, other, there), flat);
    ck_assert_ptr_eq(idx_flat(c, 0, NULL, NULL), num(0));
    idx_unflat(c, num(0), 0, NULL, NULL);
}
END_TEST

START_TEST(empty_shapes_read_at_zero)
{
    const int64_t dims[] = { 3, 0, INT64_C(1) << 40, INT64_C(1) << 40 };
    const Idx *at[4] = { i0, i0, i0, i0 };
    ck_assert_ptr_eq(idx_flat(c, 4, dims, at), num(0));
    idx_unflat(c, i0, 4, dims, at);
    for (int i = 0; i < 4; i++)
        ck_assert_ptr_eq(at[i], num(0));
    view_repeat(c, 1, &i0, 1, &(int64_t){ 0 }, at);
    ck_assert_ptr_eq(at[0], num(0));
}
END_TEST

START_TEST(reshape_reads_digits)
{
    const Idx *at[] = { idx_var(c, 0, 4), idx_var(c, 1, 6) }, *src[3];
    view_reshape(c, 2, (int64_t[]){ 4, 6 }, at, 3, (int64_t[]){ 2, 4, 3 }, src);
    PRINTS(src[0], "i0/2");
    PRINTS(src[1], "2*(i0%2) + i1/3");
    PRINTS(src[2], "i1%3");
    view_reshape(c, 2, (int64_t[]){ 4, 6 }, at, 1, (int64_t[]){ 24 }, src);
    PRINTS(src[0], "6*i0 + i1");
    const Idx *none[1] = { num(0) };
    view_reshape(c, 0, NULL, NULL, 1, (int64_t[]){ 1 }, src);
    ck_assert_ptr_eq(src[0], none[0]);
}
END_TEST

START_TEST(transpose_slice_expand_and_repeat)
{
    const Idx *at[] = { i0, i1, i2 }, *src[3];
    view_transpose(3, (int[]){ 2, 0, 1 }, at, src);
    ck_assert(src[2] == i0 && src[0] == i1 && src[1] == i2);
    view_slice(c, 3, (int64_t[]){ 0, 2, 30 }, (int64_t[]){ 1, 2, -3 }, at, src);
    ck_assert_ptr_eq(src[0], i0);
    PRINTS(src[1], "2*i1 + 2");
    PRINTS(src[2], "30 - 3*i2");
    BOUNDS(src[2], 3, 30);
    view_expand(c, 3, at, 2, (int64_t[]){ 1, 10 }, src);
    ck_assert(src[0] == num(0) && src[1] == i2);
    view_repeat(c, 3, at, 2, (int64_t[]){ 4, 10 }, src);
    PRINTS(src[0], "i1%4");
    ck_assert_ptr_eq(src[1], i2);
}
END_TEST

START_TEST(composed_views_find_their_strides)
{
    const Idx *at[] = { idx_var(c, 0, 4), idx_var(c, 1, 3), idx_var(c, 2, 2) }, *a[3], *b[3], *src[2];
    view_transpose(3, (int[]){ 2, 0, 1 }, at, a);                /* [3,2,4] as [4,3,2] */
    view_reshape(c, 3, (int64_t[]){ 3, 2, 4 }, a, 2, (int64_t[]){ 6, 4 }, b);
    view_slice(c, 2, (int64_t[]){ 5, 0 }, (int64_t[]){ -1, 2 }, b, src);
    PRINTS(idx_flat(c, 2, (int64_t[]){ 6, 8 }, src), "2*i0 - 16*i1 - 8*i2 + 40");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        flat_positions_and_digits_are_inverse, empty_shapes_read_at_zero, reshape_reads_digits,
        transpose_slice_expand_and_repeat, composed_views_find_their_strides,
    };
    return RUN("view", setup, context_free, tests);
}
