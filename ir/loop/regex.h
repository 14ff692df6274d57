/* Private to ir/loop: regular expressions, from text (regex.c) by trees to tables (regex_dfa.c); sets of characters
 * (letters.c). */
#ifndef BURIN_REGEX_H
#define BURIN_REGEX_H

#include "loop.h"

enum { CHAR_MAX_CODE = 0x10FFFF };
typedef struct Span { uint32_t lo, hi; } Span;
typedef VEC(Span) Spans;             /* of characters; spans_tidy: ascending, apart */

void spans_add(Ctx *c, Spans *s, uint32_t lo, uint32_t hi);
void spans_join(Ctx *c, Spans *s, const Spans *t);
void spans_tidy(Spans *s);
void spans_invert(Ctx *c, Spans *s);                 /* of a tidy one; tidy */
void spans_fold(Ctx *c, Spans *s);                   /* and the other case of each; tidy before and after */

typedef enum RegexKind {
    RE_EMPTY, RE_SET,                /* one character of the set */
    RE_BYTE,                         /* any byte */
    RE_CAT, RE_ALT,                  /* of the parts */
    RE_REPEAT,                       /* of part 0: least .. most times, most < 0: any number */
    RE_LOOK                          /* where `look` holds */
} RegexKind;
typedef enum Look { LOOK_BEGIN, LOOK_END, LOOK_LINE_BEGIN, LOOK_LINE_END, LOOK_WORD, LOOK_NOT_WORD } Look;
typedef struct Regex {
    RegexKind kind;
    Spans set;
    VEC(struct Regex *) parts;
    int least, most;
    Look look;
} Regex;

const Regex *regex_parse(Ctx *c, const char *pattern, const char **fault);   /* NULL: *fault tells why */

#endif
