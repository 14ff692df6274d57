/* What unit_idx and unit_view share: a context, three variables, short names and the text of an index. */
#ifndef UNIT_IDX_H
#define UNIT_IDX_H

#include "loop.h"
#include "unit.h"

static const Idx *i0, *i1, *i2;      /* extents 6, 8, 10 */

static inline void setup(void)
{
    c = ctx_new();
    ck_assert_ptr_nonnull(c);
    i0 = idx_var(c, 0, 6);
    i1 = idx_var(c, 1, 8);
    i2 = idx_var(c, 2, 10);
}

static inline const Idx *num(int64_t k)
{
    return idx_const(c, k);
}

/* p·x + q·y + k */
static inline const Idx *lin(int64_t p, const Idx *x, int64_t q, const Idx *y, int64_t k)
{
    return idx_add(c, num(k), idx_axpy(c, idx_mul(c, x, p), q, y));
}

static inline const Idx *digit(const Idx *x, int64_t a, int64_t b)
{
    return idx_digit(c, x, a, b);
}

#define PRINTS_WITH(x, name, value, arg, expected) \
    do { \
        char text[500]; \
        FILE *f = fmemopen(text, sizeof text, "w"); \
        idx_print_with(f, x, name, value, arg); \
        fclose(f); \
        ck_assert_str_eq(text, expected); \
    } while (0)
#define PRINTS(x, expected) PRINTS_WITH(x, NULL, NULL, NULL, expected)
#define BOUNDS(x, low, high) ck_assert((x)->lo == (low) && (x)->hi == (high))

#endif
