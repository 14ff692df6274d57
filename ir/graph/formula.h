/* Private to ir/graph: what formulas are made of (formula.c), for the statements of nests (formula_nest.c). */
#ifndef BURIN_FORMULA_H
#define BURIN_FORMULA_H

#include "build.h"

/* A number has no type before it meets an expression. */
typedef struct Quantity {
    const Expr *e;                   /* NULL: a number, a text, or left out */
    double num;
    const char *s;
    bool absent;
} Quantity;
typedef struct FormulaName {
    const char *name;
    Quantity v;
    Buf *buf;                        /* memory; rank 0: a variable */
} FormulaName;
enum { MOST_FORMULA_NAMES = 48 };
typedef struct Formula {
    RowText t;
    Lower *l;                        /* NULL: there is no node */
    const Sig *sig;                  /* of the node, or of the row that is checked */
    int rank;                        /* the element that a row's formula is of */
    const Idx *const *at;
    bool skip;                       /* reads, builds nothing */
    int nnames;
    FormulaName names[MOST_FORMULA_NAMES];
} Formula;

void formula_argument(Formula *f, const char *name, const Expr *e);      /* e NULL: left out */
Quantity formula_expr(Formula *f);
bool formula_gives(Formula *f, const char **name);               /* accepts "NAME =" */
void formula_name(Formula *f, const char *name, Quantity v, Buf *buf);
FormulaName *formula_known(Formula *f, const char *name);         /* NULL: none */
const Expr *formula_typed(Formula *f, Quantity v, DType dt);         /* a number becomes a dt; others stay */
/* Reads "[EXPR, ...]", the place in a buffer of those dimensions; a single one counts through all of them. */
void formula_place(Formula *f, int rank, const int64_t *dims, const Idx **at);

#endif
