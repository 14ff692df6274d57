/* Messages of protobuf as places in the mapped file; see wire.h.
 * nanopb hands a callback the wire type of its field only in so far as what is length-delimited comes as a part of the
 * file's stream, and a number as a stream over a copy of it. A number's wire type is therefore looked up in the file,
 * in front of it. */
#include "frontend.h"

#include <pb_common.h>
#include <pb_decode.h>

#include "wire.h"

static bool take(pb_istream_t *in, pb_byte_t *to, size_t n)
{
    const pb_byte_t **at = in->state;
    memcpy(to, *at, n);
    *at += n;
    return true;
}

/* True when the number of n bytes in front of `end` has the wire type that its field should have. */
static bool number_fits(const pb_field_t *field, const pb_byte_t *end, size_t n)
{
    const pb_byte_t *tag = end - n - (field->tag < 16 ? 1 : 2);
    pb_wire_type_t wire = (pb_wire_type_t)(*tag & 7);
    switch (PB_LTYPE(field->type)) {
    case PB_LTYPE_VARINT: case PB_LTYPE_UVARINT: return wire == PB_WT_VARINT;
    case PB_LTYPE_FIXED32: return wire == PB_WT_32BIT;
    case PB_LTYPE_FIXED64: return wire == PB_WT_64BIT;
    default: return false;
    }
}

bool places_add(pb_istream_t *in, pb_ostream_t *out, const pb_field_t *field)
{
    Places *l = field->pData;
    size_t n = in->bytes_left;
    if (out)
        PB_RETURN_ERROR(in, "not for writing");
    if (in->callback == take)
        *l->at += n;
    else if (!number_fits(field, *l->at, n))
        PB_RETURN_ERROR(in, "wrong wire type");
    if (l->n == INT_MAX)
        PB_RETURN_ERROR(in, "too many fields");
    in->bytes_left = 0;
    l->one = (Place){*l->at - n, n};
    if (l->n < l->cap)
        l->fill[l->n] = l->one;
    l->n++;
    return true;
}

Place place_at(const Places *l, int i)
{
    return l->cap ? l->fill[i] : l->one;
}

Place place_last(const Places *l)
{
    return l->one;
}

/* ---- walking --------------------------------------------------------------------------------------------------- */

/* Makes the lists of a message ready to be filled. True: there was one that has to be filled again. */
static bool lists_ready(Ctx *c, const pb_msgdesc_t *fields, void *m, const pb_byte_t **at)
{
    pb_field_iter_t it;
    bool more = false;
    if (!pb_field_iter_begin(&it, fields, m))
        return false;
    do {
        if (PB_ATYPE(it.type) != PB_ATYPE_CALLBACK)
            continue;
        Places *l = it.pData;
        if (l->n > 1) {
            l->cap = l->n;
            l->fill = SCRATCH_N(c, Place, l->n);
            more = true;
        }
        l->at = at;
    } while (pb_field_iter_next(&it));
    return more;
}

static void lists_empty(const pb_msgdesc_t *fields, void *m)
{
    pb_field_iter_t it;
    if (pb_field_iter_begin(&it, fields, m))
        do
            if (PB_ATYPE(it.type) == PB_ATYPE_CALLBACK)
                ((Places *)it.pData)->n = 0;
        while (pb_field_iter_next(&it));
}

const char *message_walk(Ctx *c, Place p, const pb_msgdesc_t *fields, void *m, const pb_byte_t **fault)
{
    const pb_byte_t *at = p.at;
    pb_istream_t in = {take, &at, p.n, NULL};
    lists_ready(c, fields, m, &at);
    if (!pb_decode_ex(&in, fields, m, PB_DECODE_NOINIT)) {
        *fault = at;
        return in.errmsg ? in.errmsg : "wrong wire type";    /* a number's callback has no way to say so */
    }
    if (lists_ready(c, fields, m, &at)) {
        lists_empty(fields, m);
        at = p.at;
        in = (pb_istream_t){take, &at, p.n, NULL};
        pb_decode_ex(&in, fields, m, PB_DECODE_NOINIT);
    }
    return NULL;
}

/* ---- repeated numbers ------------------------------------------------------------------------------------------ */

size_t varints_count(const Places *l)
{
    size_t n = 0;
    for (int i = 0; i < l->n; i++) {
        Place p = place_at(l, i);
        for (size_t k = 0; k < p.n; k++)
            n += p.at[k] < 0x80;
    }
    return n;
}

bool varints_next(Varints *v, uint64_t *value)
{
    while (v->at == v->end) {
        if (v->bad || v->i == v->l->n)
            return false;
        Place p = place_at(v->l, v->i++);
        v->at = p.at;
        v->end = p.at + p.n;
    }
    *value = 0;
    for (unsigned shift = 0; v->at < v->end && shift < 64; shift += 7) {
        pb_byte_t byte = *v->at++;
        *value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            return true;
    }
    v->bad = true;
    v->at = v->end;
    return false;
}

size_t places_bytes(const Places *l)
{
    size_t n = 0;
    for (int i = 0; i < l->n; i++)
        n += place_at(l, i).n;
    return n;
}

void places_copy(const Places *l, void *to)
{
    char *at = to;
    for (int i = 0; i < l->n; i++) {
        Place p = place_at(l, i);
        if (p.n)
            memcpy(at, p.at, p.n);
        at += p.n;
    }
}
