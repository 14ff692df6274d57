/* Private to the pass `order`: its files' view of a program. */
#ifndef BURIN_ORDER_H
#define BURIN_ORDER_H

#include "plan.h"

/* ---- order_net.c: who must wait for whom, and what each kernel needs --------------------------------------------- */

typedef struct Lists { int *from, *at; } Lists;          /* of i: at[from[i]] to at[from[i + 1]] */

typedef struct OrderNet {                 /* kernels by position in the program; values: the buffers in the arena */
    Ctx *c;
    int n, nvalues;
    Lists next;                      /* by kernel: those that must come later */
    int *waits;                      /* by kernel: how many come before it (its occurrences in next) */
    Lists uses, users;               /* by kernel: the values that it reads or writes; the same by value */
    Lists over;                      /* by kernel: values that it may write over when it is their last user */
    int *out;                        /* by kernel: the value that it writes; -1: none that lies in the arena */
    int64_t *bytes;                  /* by value */
    int64_t *holds;                  /* by kernel: bytes of what it alone touches */
    bool *stays, *early;             /* by value: lives to the end; lives from the start */
} OrderNet;
OrderNet order_net(Ctx *c, const Prog *p, bool io);      /* in scratch memory */

typedef struct OrderState {               /* after some of the kernels have run */
    int64_t alive;                   /* bytes */
    int *left;                       /* by value: users that have not run */
    int64_t *rest;                   /* by value: the sum of their positions: the last one's name */
    int *born;                       /* by value: how many of its writers have run; of early ones, one more */
    int *waits;                      /* by kernel: of those before it, how many have not run */
} OrderState;
typedef struct Step { int64_t at, change; } Step;        /* bytes alive while the kernel runs; then, more than before */

OrderState state_new(const OrderNet *net);                         /* nothing has run; in scratch memory */
Step state_step(const OrderNet *net, const OrderState *s, int kernel);
void state_do(const OrderNet *net, OrderState *s, int kernel);
void state_undo(const OrderNet *net, OrderState *s, int kernel);   /* the last one done */
int64_t order_peak(const OrderNet *net, OrderState *s, const int *order, int n);   /* does them; bytes alive at most */

/* ---- order_greedy.c ---------------------------------------------------------------------------------------------- */

/* Among equals: the first of the program; the last one that became ready; the one with the least peak. */
typedef enum Taste { TASTE_FIRST, TASTE_LATEST, TASTE_LOW, TASTES } Taste;
/* An order of the kernels from `from` to `to` - 1, those before have run: at each time the one that frees the most. The
 * state is as before. */
void order_greedy(const OrderNet *net, OrderState *s, int from, int to, Taste taste, int *order);

/* ---- order_search.c ---------------------------------------------------------------------------------------------- */

/* Looks for an order of these kernels with at most `most` bytes alive, and no step more than *budget; *budget sinks. */
typedef enum Verdict { SEARCH_FOUND, SEARCH_NONE, SEARCH_SPENT } Verdict;
Verdict order_search(const OrderNet *net, OrderState *s, int from, int to, int64_t most, int64_t *budget, int *order);

#endif
