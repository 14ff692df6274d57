/* What the tests of the frontend share: a few operators (the real ones belong to a room beside it), short ways to read
 * a text, and what was said about it. */
#ifndef BURIN_TEXT_OPS_H
#define BURIN_TEXT_OPS_H

#include "frontend.h"

static const Expr *same_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    return in_at(l, 0, i);
}

static bool cast_infer(Build *b, const Node *n, Type *out)
{
    (void)b;
    out[0] = n->in[0]->type;
    out[0].dt = (DType)node_int(n, "to", DT_F32);
    return true;
}

static const Expr *cast_at(Lower *l, int out, const Idx *const *i)
{
    (void)out;
    return expr_cast(l->c, l->node->out[0]->type.dt, in_at(l, 0, i));
}

static bool choose(Build *b, const Node *n, Edge **out)
{
    const char *branch = tensor_at_int(node_known(n, 0), 0) ? "then_branch" : "else_branch";
    const Attr *a = node_attr(n, branch);
    if (a->graph->nouts == n->nout)
        return a->graph->inlined(b, a->graph, NULL, out);
    error(b->c, n->loc, "If: the branch gives another number of outputs");
    return false;
}

static bool twice(Build *b, const Node *n, Edge **out)       /* body(body(x)) */
{
    const Subgraph *g = node_attr(n, "body")->graph;
    Edge *x = n->in[0];
    if (g->nins == 1 && g->nouts == 1)
        return g->inlined(b, g, &x, &x) && g->inlined(b, g, &x, out);
    error(b->c, n->loc, "Twice: the body takes one input and gives one output");
    return false;
}

static const Op text_ops[] = {
    {.sig = "Neg-1 (x: R) => (y: R)", .scalar = SCALAR(neg)},
    {.sig = "Add-1 (a: R, b: R) => (y: R)", .scalar = SCALAR(add)},
    {.sig = "Identity-1 (x: V) => (y: V)", .at = same_at},
    {.sig = "Cast-1 <to: int> (x: V) => (y: V2)", .at = cast_at, .infer = cast_infer},
    {.sig = "If-1 <then_branch: graph, else_branch: graph> (cond!: B) => (ys...: V*)", .expand = choose},
    {.sig = "Twice-1 <body: graph> (x: V) => (y: V)", .expand = twice},
    {.sig = "Attrs-1 <f: float = 1, i: int = 0, is?: ints, fs?: floats, s: string = \"a\", ss?: strings, t?: tensor> "
            "(x: V, z?: V, w?: V) "
            "=> (y: V)",
     .at = same_at},
    {.sig = "Late-9 (x: V) => (y: V)", .at = same_at},
    {.sig = "com.acme::Same-1 (x: V) => (y: V)", .at = same_at},
};

static inline void give_ops(Ctx *c)
{
    c->ops = op_table_new(c, text_ops, COUNT(text_ops));
}

static inline const char *text_of(Ctx *c, void (*print)(FILE *, Ctx *, const void *), const void *what)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    print(f, c, what);
    fclose(f);
    const char *s = intern(c, text);
    free(text);
    return s;
}

static inline void print_diags(FILE *f, Ctx *c, const void *what)
{
    (void)what;
    diag_flush(c, f);
}

static inline void print_graph(FILE *f, Ctx *c, const void *g)
{
    graph_print(f, c, g);
}

static inline void print_tensor(FILE *f, Ctx *c, const void *t)
{
    tensor_print(f, c, "", t);
}

static inline const Source *source_of(Ctx *c, const char *text, size_t n)
{
    Source *src = NEW(c, Source);
    *src = (Source){"m", mem_copy(c, text, n), n};
    return src;
}

#endif
