/* ONNX binary for tests, written as text: a message is a list of fields, each with its number.
 *
 *   8:17  8:-1          a number                    7{...}      a message
 *   2=1.5               a float (32 bits)           1[1 2 300]  packed numbers
 *   4(1.5 -2)           packed floats               9/0A0b/     bytes
 *   10#(1.5)            packed doubles              2"name"     a string; \ before a quote or backslash
 *   !FF01!              bytes as they are, outside of any field */
#ifndef BURIN_ONNX_WRITE_H
#define BURIN_ONNX_WRITE_H

#include "text_ops.h"

typedef struct Out { VEC(char) v; } Out;

static inline void out_byte(Ctx *c, Out *o, unsigned byte)
{
    VEC_PUSH(c, o->v, (char)(unsigned char)byte);
}

static inline void out_varint(Ctx *c, Out *o, uint64_t v)
{
    for (; v > 127; v >>= 7)
        out_byte(c, o, (unsigned)(v & 127) | 128);
    out_byte(c, o, (unsigned)v);
}

static inline void out_bytes(Ctx *c, Out *o, const void *data, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out_byte(c, o, ((const unsigned char *)data)[i]);
}

static inline const char *out_hex(Ctx *c, Out *o, const char *s, char end)
{
    for (; *s && *s != end; s += 2) {
        char digits[3] = {s[0], s[1], 0};
        out_byte(c, o, (unsigned)strtoul(digits, NULL, 16));
    }
    return s + (*s != 0);
}

static const char *out_fields(Ctx *c, Out *o, const char *s);

/* Packed numbers up to `end`. */
static inline const char *out_numbers(Ctx *c, Out *o, const char *s, char end, bool wide)
{
    for (;;) {
        char *after = NULL;
        while (*s == ' ')
            s++;
        if (*s == end || !*s)
            return s + (*s != 0);
        double d = strtod(s, &after);
        float f = (float)d;
        if (end == ']')
            out_varint(c, o, *s == '-' ? (uint64_t)strtoll(s, &after, 0) : strtoull(s, &after, 0));
        else
            out_bytes(c, o, wide ? (void *)&d : (void *)&f, wide ? sizeof d : sizeof f);
        s = after;
    }
}

/* What stands behind a field's number; *wire: its wire type, 2: `part` is to have its length in front. */
static inline const char *out_value(Ctx *c, Out *part, const char *s, unsigned *wire)
{
    char *after = NULL;
    float f;
    *wire = 2;
    switch (*s++) {
    case ':':
        *wire = 0;
        out_varint(c, part, *s == '-' ? (uint64_t)strtoll(s, &after, 0) : strtoull(s, &after, 0));
        return after;
    case '=':
        *wire = 5;
        f = strtof(s, &after);
        out_bytes(c, part, &f, sizeof f);
        return after;
    case '"':
        for (; *s && *s != '"'; s++) {
            s += *s == '\\';
            out_byte(c, part, (unsigned char)*s);
        }
        return s + (*s != 0);
    case '/': return out_hex(c, part, s, '/');
    case '{': return out_fields(c, part, s);
    case '[': return out_numbers(c, part, s, ']', false);
    case '(': return out_numbers(c, part, s, ')', false);
    case '#': return out_numbers(c, part, s + 1, ')', true);
    default: abort();
    }
}

static inline const char *out_fields(Ctx *c, Out *o, const char *s)
{
    for (;;) {
        char *after;
        while (*s == ' ' || *s == '\n')
            s++;
        if (*s == '}' || !*s)
            return s + (*s != 0);
        if (*s == '!') {
            s = out_hex(c, o, s + 1, '!');
            continue;
        }
        Out part = {{0}};
        unsigned tag = (unsigned)strtoul(s, &after, 10), wire;
        s = out_value(c, &part, after, &wire);
        out_varint(c, o, tag << 3 | wire);
        if (wire == 2)
            out_varint(c, o, (uint64_t)part.v.n);
        out_bytes(c, o, part.v.at, (size_t)part.v.n);
    }
}

static inline const File *onnx_of(Ctx *c, const char *text)
{
    Out o = {{0}};
    File *f = NEW(c, File);
    out_fields(c, &o, text);
    *f = (File){"m", o.v.n ? o.v.at : "", (size_t)o.v.n};
    return f;
}

/* Parts of models: the numbers of fields. */
#define MODEL(graph) "1:8 8{1\"\" 2:17} 7{2\"g\" " graph "}"
#define TENSOR_TYPE(dt, dims) "1{1:" dt " 2{" dims "}}"
#define VALUE(name, type) "{1\"" name "\" 2{" type "}}"
#define FLOAT2 TENSOR_TYPE("1", "1{1:2}")
#define IN(name) "11" VALUE(name, FLOAT2)
#define OUT(name) "12" VALUE(name, FLOAT2)
#define NODE(name, op, in, out, attrs) "1{" in out "3\"" name "\" 4\"" op "\" " attrs "}"
#define I(name) "1\"" name "\" "
#define O(name) "2\"" name "\" "
#define A(name, type, value) "5{1\"" name "\" 20:" type " " value "}"

#endif
