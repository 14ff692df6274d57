/* Regular expressions as automata over bytes. A tree becomes states that step by a byte, split, or look at what stands
 * before and behind (built from the back: each is given where it goes on); characters become the bytes of their UTF-8.
 * Sets of such states, with the kind of the byte before, become the states of a table; looks are decided when the next
 * byte is known. Classes of bytes that nothing tells apart share a column. Sizes are limited: a table of more is
 * refused. */
#include "regex.h"

enum { STATES_MOST = 20000, ROWS_MOST = 10000, TABLE_MOST = 1 << 20, STEPS_MOST = 200 * 1000 * 1000,
       HELD_MOST = 1 << 23, DEAD = 0xFFFF };
enum { KIND_START, KIND_WORD, KIND_LINE, KIND_OTHER, KIND_END };     /* of a byte, or of what stands at the ends */

typedef enum StateKind { ST_BYTE, ST_SPLIT, ST_LOOK, ST_MATCH } StateKind;
typedef struct State { StateKind kind; uint8_t lo, hi; Look look; int next, other; } State;

typedef struct Row { int n; const int *states; int before; uint64_t hash; } Row;

typedef struct Automaton {
    Ctx *c;
    VEC(State) states;
    VEC(Row) rows;
    int *table, cap;                 /* rows by hash: number + 1 */
    bool looks;
    uint8_t class_of[256]; int nclasses;
    int *met, stamp;                 /* per state: the last closure that it is in */
    int *list, n;                    /* of that closure: the states that step, and the match */
    int64_t steps, held;             /* states met in closures; of all rows */
    const char *fault;
} Automaton;

/* ---- from the tree ----------------------------------------------------------------------------------------------- */

static int state_new(Automaton *a, State s)
{
    if (a->states.n >= STATES_MOST) {
        a->fault = "it is too large";
        return 0;
    }
    VEC_PUSH(a->c, a->states, s);
    return a->states.n - 1;
}

static int split(Automaton *a, int next, int other)
{
    return state_new(a, (State){ .kind = ST_SPLIT, .next = next, .other = other });
}

/* The characters lo .. hi, all of n bytes; they are taken apart until each byte ranges over an interval of its own. */
static int span_bytes(Automaton *a, uint32_t lo, uint32_t hi, int n, int next)
{
    for (int k = 1; k < n; k++) {
        const uint32_t low = (1U << 6 * k) - 1;
        if ((lo & ~low) == (hi & ~low))
            continue;
        if (lo & low)
            return split(a, span_bytes(a, lo, lo | low, n, next), span_bytes(a, (lo | low) + 1, hi, n, next));
        if ((hi & low) != low)
            return split(a, span_bytes(a, lo, (hi & ~low) - 1, n, next), span_bytes(a, hi & ~low, hi, n, next));
    }
    for (int k = 0; k < n; k++) {
        const uint32_t lead = k < n - 1 ? 0x80 : n == 1 ? 0 : 0xF00U >> n & 0xFF, bits = n == 1 ? 0x7F : 0x3F;
        State s = { .kind = ST_BYTE, .next = next };
        s.lo = (uint8_t)(lead | (lo >> 6 * k & bits));
        s.hi = (uint8_t)(lead | (hi >> 6 * k & bits));
        next = state_new(a, s);
    }
    return next;
}

static int span_state(Automaton *a, Span s, int next)
{
    static const uint32_t ends[] = { 0x7F, 0x7FF, 0xFFFF, CHAR_MAX_CODE };
    int from = -1;
    uint32_t lo = s.lo ? s.lo : 1;   /* no string has the character 0 */
    for (int n = 1; n <= 4 && lo <= s.hi; n++) {
        if (lo > ends[n - 1])
            continue;
        const uint32_t hi = s.hi < ends[n - 1] ? s.hi : ends[n - 1];
        const int part = span_bytes(a, lo, hi, n, next);
        from = from < 0 ? part : split(a, from, part);
        lo = hi + 1;
    }
    return from;
}

static int tree_state(Automaton *a, const Regex *r, int next);

static int repeat_state(Automaton *a, const Regex *r, int next)
{
    int again = next;
    if (r->most < 0) {
        again = split(a, 0, next);
        const int body = tree_state(a, r->parts.at[0], again);
        a->states.at[again].next = body;
    }
    for (int i = r->least; i < r->most && !a->fault; i++)
        again = split(a, tree_state(a, r->parts.at[0], again), next);
    for (int i = 0; i < r->least && !a->fault; i++)
        again = tree_state(a, r->parts.at[0], again);
    return again;
}

/* Where r begins that goes on at `next`; -1: it matches nothing at all. */
static int tree_state(Automaton *a, const Regex *r, int next)
{
    int from = -1;
    if (a->fault || next < 0)
        return next;
    switch (r->kind) {
    case RE_EMPTY:
        return next;
    case RE_SET:
        for (int i = r->set.n; i-- > 0 && !a->fault;) {
            const int part = span_state(a, r->set.at[i], next);
            from = from < 0 ? part : part < 0 ? from : split(a, part, from);
        }
        return from;
    case RE_BYTE:
        return state_new(a, (State){ .kind = ST_BYTE, .lo = 1, .hi = 255, .next = next });
    case RE_CAT:
        for (int i = r->parts.n; i-- > 0;)
            next = tree_state(a, r->parts.at[i], next);
        return next;
    case RE_ALT:
        for (int i = r->parts.n; i-- > 0;) {
            const int part = tree_state(a, r->parts.at[i], next);
            from = from < 0 ? part : part < 0 ? from : split(a, part, from);
        }
        return from;
    case RE_REPEAT:
        return repeat_state(a, r, next);
    case RE_LOOK:
        a->looks = true;
        return state_new(a, (State){ .kind = ST_LOOK, .look = r->look, .next = next });
    }
    return next;
}

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

static int kind_of(int byte)
{
    const bool word = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || byte == '_' ||
                      (byte >= 'a' && byte <= 'z');
    return word ? KIND_WORD : byte == '\n' ? KIND_LINE : KIND_OTHER;
}

static void find_classes(Automaton *a)
{
    bool begins[257] = { false };
    for (int i = 0; i < a->states.n; i++)
        if (a->states.at[i].kind == ST_BYTE)
            begins[a->states.at[i].lo] = begins[a->states.at[i].hi + 1] = true;
    for (int b = 1; b < 256; b++) {
        const bool apart = begins[b] || (a->looks && kind_of(b) != kind_of(b - 1));
        a->class_of[b] = (uint8_t)(a->class_of[b - 1] + apart);
    }
    a->nclasses = a->class_of[255] + 1;
}

/* ---- sets of states ---------------------------------------------------------------------------------------------- */

static bool holds(Look look, int before, int behind)
{
    switch (look) {
    case LOOK_BEGIN:      return before == KIND_START;
    case LOOK_END:        return behind == KIND_END;
    case LOOK_LINE_BEGIN: return before == KIND_START || before == KIND_LINE;
    case LOOK_LINE_END:   return behind == KIND_END || behind == KIND_LINE;
    case LOOK_WORD:       return (before == KIND_WORD) != (behind == KIND_WORD);
    case LOOK_NOT_WORD:   return (before == KIND_WORD) == (behind == KIND_WORD);
    }
    return false;
}

/* What a row's states are without a step, between two kinds of bytes; to a->list, which grows as it is read. */
static void close_row(Automaton *a, const Row *r, int behind)
{
    a->stamp++;
    a->n = 0;
    for (int i = 0; i < r->n; i++) {
        a->met[r->states[i]] = a->stamp;
        a->list[a->n++] = r->states[i];
    }
    for (int i = 0; i < a->n; i++) {
        const State *s = &a->states.at[a->list[i]];
        const int to[2] = { s->next, s->other };
        const int arms = s->kind == ST_SPLIT ? 2 : s->kind == ST_LOOK && holds(s->look, r->before, behind);
        for (int k = 0; k < arms; k++)
            if (to[k] >= 0 && a->met[to[k]] != a->stamp) {
                a->met[to[k]] = a->stamp;
                a->list[a->n++] = to[k];
            }
    }
    a->steps += a->n;
}

static int by_number(const void *x, const void *y)
{
    return *(const int *)x - *(const int *)y;
}

static int *row_place(Automaton *a, const Row *r)
{
    size_t i = (size_t)r->hash & (size_t)(a->cap - 1);
    for (; a->table[i]; i = (i + 1) & (size_t)(a->cap - 1)) {
        const Row *old = &a->rows.at[a->table[i] - 1];
        if (old->hash == r->hash && old->n == r->n && old->before == r->before &&
            memcmp(old->states, r->states, sizeof *r->states * (size_t)r->n) == 0)
            break;
    }
    return &a->table[i];
}

/* The number of the row with those states, found or new. */
static int row_of(Automaton *a, int n, int *states, int before)
{
    Row r = { n, states, before, UINT64_C(1469598103934665603) + (uint64_t)before };
    if (n)
        qsort(states, (size_t)n, sizeof *states, by_number);
    for (int i = 0; i < n; i++)
        r.hash = (r.hash ^ (uint64_t)states[i]) * UINT64_C(1099511628211);
    r.hash ^= r.hash >> 29;
    int *place = row_place(a, &r);
    if (*place)
        return *place - 1;
    r.states = mem_copy(a->c, states, sizeof *states * (size_t)n);
    VEC_PUSH(a->c, a->rows, r);
    a->held += n;
    *place = a->rows.n;
    return a->rows.n - 1;
}

static int step(Automaton *a, int row, int byte)
{
    Mark m = scratch_mark(a->c);
    const int kind = a->looks ? kind_of(byte) : KIND_OTHER;
    close_row(a, &a->rows.at[row], kind);
    int *to = SCRATCH_N(a->c, int, a->n + 1), n = 0;
    a->stamp++;
    for (int i = 0; i < a->n; i++) {
        const State *s = &a->states.at[a->list[i]];
        if (s->kind != ST_BYTE || byte < s->lo || byte > s->hi || s->next < 0 || a->met[s->next] == a->stamp)
            continue;
        a->met[s->next] = a->stamp;
        to[n++] = s->next;
    }
    const int found = n ? row_of(a, n, to, kind) : DEAD;
    scratch_release(a->c, m);
    return found;
}

static bool accepts(Automaton *a, int row)
{
    close_row(a, &a->rows.at[row], KIND_END);
    for (int i = 0; i < a->n; i++)
        if (a->states.at[a->list[i]].kind == ST_MATCH)
            return true;
    return false;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* One cell a class and one in front: whether the string may end here. */
static void fill_rows(Automaton *a, int **cells)
{
    const int width = a->nclasses + 1;
    for (int row = 0; row < a->rows.n; row++) {
        if (a->rows.n > ROWS_MOST || a->steps > STEPS_MOST || a->held > HELD_MOST ||
            (row + 1) * width * 2 > TABLE_MOST) {
            a->fault = "its automaton is too large";
            return;
        }
        if ((row & (row - 1)) == 0) {
            int *more = NEW_N(a->c, int, (2 * row + 1) * width);
            if (row)
                memcpy(more, *cells, sizeof *more * (size_t)(row * width));
            *cells = more;
        }
        (*cells)[row * width] = accepts(a, row);
        for (int byte = 0; byte < 256; byte++)
            if (byte == 0 || a->class_of[byte] != a->class_of[byte - 1])
                (*cells)[row * width + 1 + a->class_of[byte]] = step(a, row, byte);
    }
}

static const Tensor *as_tensor(const Automaton *a, const int *cells)
{
    const int n = a->rows.n * (a->nclasses + 1);
    const int64_t bytes = 258 + 2 * (int64_t)n;
    Tensor *t = tensor_new(a->c, type_make(a->c, DT_U8, 1, &bytes));
    uint8_t *to = (uint8_t *)(uintptr_t)t->data;
    memcpy(to, a->class_of, 256);
    to[256] = (uint8_t)a->nclasses;
    to[257] = (uint8_t)(a->nclasses >> 8);
    for (int i = 0; i < n; i++) {
        to[258 + 2 * i] = (uint8_t)cells[i];
        to[259 + 2 * i] = (uint8_t)(cells[i] >> 8);
    }
    return t;
}

const Tensor *regex_table(Ctx *c, const char *pattern, const char **fault)
{
    const Regex *r = regex_parse(c, pattern, fault);
    if (!r)
        return NULL;
    Mark m = scratch_mark(c);
    Automaton a = { .c = c, .cap = 4 * ROWS_MOST * 4 };
    while (a.cap & (a.cap - 1))
        a.cap &= a.cap - 1;          /* a power of two */
    int start = tree_state(&a, r, state_new(&a, (State){ .kind = ST_MATCH })), *cells = NULL;
    a.table = SCRATCH_N(c, int, a.cap);
    a.met = SCRATCH_N(c, int, a.states.n + 1);
    a.list = SCRATCH_N(c, int, a.states.n + 1);
    find_classes(&a);
    row_of(&a, start >= 0, &start, a.looks ? KIND_START : KIND_OTHER);
    if (!a.fault)
        fill_rows(&a, &cells);
    scratch_release(c, m);
    *fault = a.fault;
    return a.fault ? NULL : as_tensor(&a, cells);
}
