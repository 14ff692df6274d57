/* The tables of ir/loop, private to this room: what has been made so far, so that equal things are made once.
 *
 * A Hash is an open table of (hash, node) that doubles when it is three quarters full; it never looks into a node, so
 * one kind of table serves indices, atoms and expressions. Nodes are found by a predicate over (node, key). Tables
 * live in the permanent arena; those outgrown are left there, less in sum than the last one. */
#ifndef BURIN_LOOPTAB_H
#define BURIN_LOOPTAB_H

#include "loop.h"

typedef struct Slot { uint64_t hash; const void *node; } Slot;
typedef struct Hash { Slot *at; size_t n, cap; } Hash;       /* cap: 0 or a power of two; n: nodes held */

struct LoopTab {
    Hash idx, atoms;                 /* idx.c: indices and their atoms */
    Hash exprs, reduces;             /* expr.c: expressions, reductions */
    Hash ranges;                     /* range.c: least and greatest element of constant buffers */
    int idx_ids, atom_ids, expr_ids, reduce_ids, buf_ids;        /* next creation numbers */
    VEC(const Expr *) walked;        /* rewrite.c: the nodes of the walks under way */
    int vars;                        /* next number of var_new, from MAX_RANK */
};

struct LoopTab *loop_tab(Ctx *c);    /* the context's tables, made at the first call */
uint64_t hash_mix(uint64_t h, uint64_t v);                   /* folds v into h; start from any constant */
const void *hash_find(const Hash *h, uint64_t hash, bool (*same)(const void *node, const void *key), const void *key);
void hash_add(Ctx *c, Hash *h, uint64_t hash, const void *node);   /* node is not yet there */

/* x with s applied (NULL: none) and each VALUE's expression replaced by value(c, e, arg): for the subscripts of
 * expr_rewrite. */
const Idx *idx_rewrite(Ctx *c, const Idx *x, const Subst *s, const Expr *(*value)(Ctx *, const Expr *, void *),
                       void *arg);

/* Shared by the files of the index algebra. */
const Idx *idx_make(Ctx *c, int64_t k, int n, const Term *t);    /* terms in the order of atoms, c != 0 */
const Idx *idx_atom(Ctx *c, Atom a);                             /* the index 1·a; id and variables are set here */
const Idx *idx_merge(Ctx *c, const Idx *x, int64_t s, const Idx *y);   /* x + s·y, not recombined */
const Idx *idx_recombine(Ctx *c, const Idx *x);                  /* x with adjacent digits made one */
int64_t idx_content(const Idx *x);                               /* largest divisor of all coefficients; 0: no terms */
int atom_order(const Atom *p, const Atom *q);                    /* negative, 0 (p == q), positive */
uint64_t var_bit(int var);                                       /* its bit in masks of variables */
int64_t int_gcd(int64_t a, int64_t b);                           /* of the magnitudes; gcd(a, 0) = |a| */
int64_t floor_div(int64_t x, int64_t y);                         /* toward minus infinity; y != 0 */
int64_t floor_mod(int64_t x, int64_t y);                         /* x - y·floor_div(x, y) */

#endif
