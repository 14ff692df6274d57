/* Private to passes: minimal filtering, after Winograd: m sums of three products each by m + 2 products. */
#ifndef BURIN_MINIMAL_H
#define BURIN_MINIMAL_H

#include "passes.h"

enum { TAPS = 3, OUTPUTS_MOST = 4, POINTS_MOST = OUTPUTS_MOST + TAPS - 1 };

/* y = out · ((weight · g) ∘ (in · d)) for n inputs d, three taps g, m outputs y: y[i] = sum of d[i + k]·g[k]. In two
 * dimensions each matrix is applied along both. Rows 1 and 2, and 3 and 4, of `in` differ in the sign of their odd
 * columns alone; so do such columns of `out` in that of its odd rows. */
typedef struct Minimal {
    int m, n;
    double in[POINTS_MOST][POINTS_MOST], weight[POINTS_MOST][TAPS], out[OUTPUTS_MOST][POINTS_MOST];
} Minimal;
Minimal minimal_form(int m);         /* m: 2 or 4 */

/* The statements that apply such a form to values of float, one after the other, each with a name. Arrays of n × n
 * values lie row by row; NULL stands for 0. */
typedef struct Straight { Ctx *c; VEC(const Stmt *) stmts; int names; } Straight;
const Expr *straight_name(Straight *s, const Expr *e);       /* a scalar that holds e from here on */
/* The value at a place of what is transformed; asked for column by column, so that few are held at a time. */
typedef const Expr *PlaceValue(Straight *s, int row, int column, void *arg);
void straight_in(Straight *s, const Minimal *f, PlaceValue *d, void *arg, const Expr **v);       /* n × n to n × n */
void straight_out(Straight *s, const Minimal *f, PlaceValue *p, void *arg, const Expr **y);      /* n × n to m × m */
const Stmt *straight_end(Straight *s);       /* all of it, but for names that nothing uses */

/* The weights of the products, n × n, for taps g, 3 × 3. */
void minimal_weights(const Minimal *f, const double *g, double *u);

#endif
