/* OpenVINO IR: layers and ports by the numbers that the file gives them. Both are mostly numbered one by one, in which
 * case the number tells the place; for others there is a sorted list. */
#include "openvino.h"

static int by_id(const void *a, const void *b)
{
    const XId *x = a, *y = b;
    return x->id != y->id ? (x->id > y->id) - (x->id < y->id) : x->at - y->at;
}

static int find(const XId *ids, int n, int64_t id)
{
    int at = 0, end = n;
    while (at < end) {
        int middle = at + (end - at) / 2;
        if (ids[middle].id < id)
            at = middle + 1;
        else
            end = middle;
    }
    return at < n && ids[at].id == id ? ids[at].at : -1;
}

void layer_number(Ctx *c, XLayer *l)
{
    for (int out = 0; out < 2; out++) {
        int n = out ? l->out.n : l->in.n;
        const XPort *ports = out ? l->out.at : l->in.at;
        bool counted = true;
        for (int i = 1; i < n && counted; i++)
            counted = ports[i].id - ports[0].id == i;
        if (counted)
            continue;
        XId *ids = NEW_N(c, XId, n);
        for (int i = 0; i < n; i++)
            ids[i] = (XId){ports[i].id, i};
        qsort(ids, (size_t)n, sizeof *ids, by_id);
        l->ids[out] = ids;
    }
}

int port_at(const XLayer *l, bool out, int64_t id)
{
    int n = out ? l->out.n : l->in.n;
    const XPort *ports = out ? l->out.at : l->in.at;
    if (l->ids[out])
        return find(l->ids[out], n, id);
    return n && id >= ports[0].id && id - ports[0].id < n ? (int)(id - ports[0].id) : -1;
}

/* Of the layers of each of these types, how many stand before one. */
void net_number(Ov *x, XNet *net)
{
    static const char *const types[] = {"Parameter", "Result"};
    int count = net->layers.n, before[COUNT(types)] = {0};
    XId *ids = NEW_N(x->c, XId, count);
    for (int i = 0; i < count; i++) {
        XLayer *l = net->layers.at[i];
        ids[i] = (XId){l->id, i};
        for (int k = 0; k < COUNT(types); k++)
            if (!strcmp(l->type, types[k]))
                l->ordinal = before[k]++;
    }
    if (count)
        qsort(ids, (size_t)count, sizeof *ids, by_id);
    for (int i = 1; i < count; i++)
        if (ids[i].id == ids[i - 1].id)
            ov_fault(x, net->layers.at[ids[i].at]->loc, "two layers have the id %lld", (long long)ids[i].id);
    net->ids = ids;
}

int layer_at(const XNet *net, int64_t id)
{
    return find(net->ids, net->layers.n, id);
}
