/* Private to ir/graph: what a body is made of (compose.c), for the reader of its text (compose_read.c). */
#ifndef BURIN_COMPOSE_H
#define BURIN_COMPOSE_H

#include "build.h"

/* NONE: left out, or not built. Numbers have no type before an operator wants a tensor. */
typedef enum ValKind { VAL_NONE, VAL_EDGE, VAL_NUM, VAL_INTS, VAL_FLOATS, VAL_TEXT, VAL_GRAPH } ValKind;
typedef struct Val {
    ValKind kind;
    Edge *e;
    double num;
    int n;                           /* of ints or floats */
    const int64_t *ints;
    const float *floats;
    const char *s;
    const Attr *graph;
} Val;
typedef struct Named { const char *name; Val v; } Named;
enum { MOST_NAMES = 64, MOST_ARGS = 32 };
typedef struct Body {
    RowText t;
    Build *b;                        /* NULL: the row is checked only */
    const Node *n;
    const Sig *sig;
    bool skip, failed;               /* skip: reads, builds nothing */
    int nnames;
    Named names[MOST_NAMES];
} Body;

Val val_num(double v);
Val val_edge(Body *k, Edge *e);      /* a poisoned one ends the building */
Edge *val_operand(Body *k, Val v, DType dt);                     /* a number becomes a scalar of type dt */
int64_t val_int(Body *k, Val v);     /* a fault unless it is one: a dimension that does not divide */
void body_fault(Body *k, const char *text);
void name_set(Body *k, const char *name, Val v);
Val name_get(Body *k, const char *name);
Val own_attr(Body *k, const char *name);
const Sig *body_sig(Body *k, const char *domain, const char *name);      /* the newest */
void body_call(Body *k, const Sig *s, int nargs, const Val *args, int nattrs, const Attr *attrs, int nout, Val *out);
Val body_arithmetic(Body *k, const char *op, Val x, Val y);
Val body_cast(Body *k, Val v, DType to);
Val body_graph(Body *k, const Attr *graph, Val x);
/* The functions with small letters: `text` is that of the first operand. */
int fact_find(const char *name);                             /* -1: none */
bool fact_takes_name(int f);                                 /* of a result */
bool fact_takes_two(int f);
Val fact_call(Body *k, int f, const char *text, Val x, Val y);

#endif
