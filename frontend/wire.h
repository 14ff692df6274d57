/* Messages of protobuf as places in the mapped file. nanopb walks a message by the description that is generated from
 * onnx.proto; what is a number it stores, and of everything else (strings, bytes, messages, repeated numbers)
 * places_add notes where it lies, which is all. So nothing is copied, nothing is allocated while nanopb is at work, and
 * no message is walked from within another.
 *
 * A list holds one place by itself. When a message turns out to hold more of a kind, room is taken for as many as were
 * counted and the message is walked once more: memory follows from what stands in the file, never from what the file
 * claims. */
#ifndef BURIN_WIRE_H
#define BURIN_WIRE_H

#include <pb.h>

typedef struct Place {
    const pb_byte_t *at;
    size_t n;
} Place; /* of a string or message: its bytes; of numbers: one, or packed many */

typedef struct Places {
    const pb_byte_t **at;            /* where reading stands, while it does */
    int n, cap;                      /* found, and that fit into `fill` */
    Place one;                       /* the last one */
    Place *fill;
} Places;

/* nanopb's callback of every field. */
bool places_add(pb_istream_t *in, pb_ostream_t *out, const pb_field_t *field);
Place place_at(const Places *l, int i);
Place place_last(
    const Places *l); /* of a field that stands once: of several, the last one counts; {0}: there is none */

/* Walks the message at p and fills *m, which is all zero before. Lists of more than one take scratch. NULL: done; else
 * what is wrong, at byte *fault. */
typedef struct Ctx Ctx;
const char *message_walk(Ctx *c, Place p, const pb_msgdesc_t *fields, void *m, const pb_byte_t **fault);

/* Repeated numbers, packed or not. */
typedef struct Varints { const Places *l; int i; const pb_byte_t *at, *end; bool bad; } Varints;
size_t varints_count(const Places *l);               /* when all are sound */
bool varints_next(Varints *v, uint64_t *value);      /* {.l = list} before the first; false: no more, or bad */
size_t places_bytes(const Places *l);                /* all together: of fixed-size numbers */
void places_copy(const Places *l, void *to);         /* their bytes in turn */

#endif
