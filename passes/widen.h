/* Private to passes: the parts of widen. */
#ifndef BURIN_WIDEN_H
#define BURIN_WIDEN_H

#include "passes.h"

/* halves.c: a reduction to the greatest of float16 read as float, by their ranks; NULL: e is none. */
const Expr *greatest_of_halves(Ctx *c, const Expr *e);

/* passing.c: a float made of a small integer made of a whole float; NULL: e is none. */
const Expr *float_all_the_way(Ctx *c, const Expr *e);

#endif
