/* Grammar of the ONNX textual syntax, as onnx.parser reads it and a little beyond: names are quoted wherever a name
 * may stand, lists of tensors, graphs and types, nan(0x...), hexadecimal numbers. Builds the model bottom up with what
 * parts.c and attr.c offer.
 *
 * The values of a constant never pass through here: the action behind '{' is run before the next token is read (its
 * state has no other choice, so bison asks for none), and takes them from the text by itself. Recovery: a fault in a
 * list or a header ends behind the next ',' or at its closing bracket, one in a node at its line's end (SYNC). */
%define api.pure full
%define api.prefix {text_}
%define api.location.type {Spot}
%define parse.error custom
%locations
%lex-param {void *scanner}
%parse-param {void *scanner} {Parser *p}
%expect 0

%code requires {
#include "text.h"
}
%code provides {
int text_lex(TEXT_STYPE *value, Spot *spot, void *scanner);
}
%code {
#define YYMALLOC(n) mem_alloc(p->c, n)
#define YYFREE(at) ((void)(at))
#define YYINITDEPTH 100
#define YYLLOC_DEFAULT(to, rhs, n) ((to) = (n) ? YYRHSLOC(rhs, 1) : YYRHSLOC(rhs, 0))
#define PUSH(list, type, member, x) \
    do { if (!(list)) (list) = NEW(p->c, type); VEC_PUSH(p->c, (list)->member, x); } while (0)
#define ENTRY(key, at, string, number) ((Entry){key, spot_loc(p, at), string, number})
#define TENSOR(at, x) VALUE(.kind = ATTR_TENSOR, .lit.loc = spot_loc(p, at), .tensor = x)
#define VALUE(...) VEC_PUSH(p->c, p->values, ((AttrValue){__VA_ARGS__}))
#define RESUMED (p->recovering = false, yyerrok)

static void yyerror(const Spot *s, void *scanner, Parser *p, const char *message);
static MValueInfo *info(const Parser *p, Spot s, const char *name, const MType *type);
static const MType *text_map(Parser *p, Spot s, const char *keys, const MType *values);
static const MType *text_scalar(Parser *p, Spot s, const char *elem);
}

%union {
    const char *s;
    const Literal *lit;
    Header *header;
    const MType *type;
    const Tensor *tensor;
    MGraph *graph;
    MNode *node;
    Names *names;
    Attrs *attrs;
    Nodes *nodes;
    Item *item;
    Items *items;
    MValueInfo *info;
    Infos *infos;
    Entries *entries;
    Params *params;
    FuncVars *vars;
    int n;
}

%token <s> ID "a name" TYPE "a type" STRING "a quoted string" INFNAN "a number, inf or nan"
%token <s> SEQ "'seq'" MAP "'map'" OPTIONAL "'optional'" SPARSE "'sparse_tensor'" OPAQUE "'opaque'"
%token <lit> NUM "a number"
%token ARROW "'=>'" ELLIPSIS "'...'" SYNC "end of line" END 0 "end of file"

%type <header> open_header
%type <s> name id plain kind overload
%type <lit> field_number
%type <type> type
%type <tensor> data braces
%type <graph> graph graph_value main
%type <node> node call callee
%type <names> outs
%type <attrs> attrs
%type <nodes> nodes body
%type <item> item
%type <items> items inputs rest
%type <info> info
%type <infos> infos outputs finfos
%type <entries> entries
%type <params> params param_list
%type <vars> vars fvars
%type <n> attrs_open values_open

%%

model: open_header header main functions        { text_model(p, $1, $3); }
     ;
open_header: %empty                             { $$ = p->header = header_open(p); }
           ;
main: graph
    | error body                                { (void)$2; RESUMED; $$ = NULL; }
    ;

/* ---- headers ---- */

header: %empty
      | '<' fields end_angle
      ;
fields: field
      | skip field
      | fields ',' field
      | fields skip field
      ;
field: id ':' field_number                      { header_field(p, $1, @1, $3, NULL, NULL); }
     | id ':' STRING                            { header_field(p, $1, @1, NULL, $3, NULL); }
     | id ':' '[' ']'                           { header_field(p, $1, @1, NULL, NULL, NEW(p->c, Entries)); }
     | id ':' '[' entries ']'                   { header_field(p, $1, @1, NULL, NULL, $4); }
     ;
field_number: NUM
     ;
entries: STRING ':' NUM                         { $$ = NULL; PUSH($$, Entries, v, ENTRY($1, @1, NULL, $3)); }
       | STRING ':' STRING                      { $$ = NULL; PUSH($$, Entries, v, ENTRY($1, @1, $3, NULL)); }
       | entries ',' STRING ':' NUM             { $$ = $1; PUSH($$, Entries, v, ENTRY($3, @3, NULL, $5)); }
       | entries ',' STRING ':' STRING          { $$ = $1; PUSH($$, Entries, v, ENTRY($3, @3, $5, NULL)); }
       ;
skip: error ','                                 { RESUMED; }
    ;
end_angle: '>' | error '>'                      { RESUMED; }
    ;
end_paren: ')' | error ')'                      { RESUMED; }
    ;

/* ---- graphs and functions ---- */

graph: name inputs ARROW outputs rest body      { $$ = text_graph(p, @1, $1, $2, $4, $5, $6); }
     ;
inputs: %empty                                  { $$ = NULL; }
      | '(' ')'                                 { $$ = NULL; }
      | '(' items end_paren                     { $$ = $2; }
      ;
outputs: '(' ')'                                { $$ = NULL; }
       | '(' infos end_paren                    { $$ = $2; }
       ;
rest: %empty                                    { $$ = NULL; }
    | '<' '>'                                   { $$ = NULL; }
    | '<' items end_angle                       { $$ = $2; }
    ;
items: item                                     { $$ = NULL; PUSH($$, Items, v, $1); }
     | skip item                                { $$ = NULL; PUSH($$, Items, v, $2); }
     | items ',' item                           { $$ = $1; PUSH($$, Items, v, $3); }
     | items skip item                          { $$ = $1; PUSH($$, Items, v, $3); }
     ;
item: info                                      { $$ = NEW(p->c, Item); $$->info = *$1; }
    | info '='                                  { p->constant = mname(p, @1, $1->name); p->type = $1->type; }
      data                                      { $$ = NEW(p->c, Item); *$$ = (Item){*$1, true, $4}; }
    ;
infos: info                                     { $$ = NULL; PUSH($$, Infos, v, *$1); }
     | skip info                                { $$ = NULL; PUSH($$, Infos, v, *$2); }
     | infos ',' info                           { $$ = $1; PUSH($$, Infos, v, *$3); }
     | infos skip info                          { $$ = $1; PUSH($$, Infos, v, *$3); }
     ;
info: plain                                     { $$ = info(p, @1, $1, NULL); }
    | type name                                 { $$ = info(p, @2, $2, $1); @$ = @2; }
    | ID name                                   { $$ = info(p, @2, $2, text_scalar(p, @1, $1)); @$ = @2; }
    ;
body: '{' nodes '}'                             { nodes_close(p, $2); $$ = $2; }
    | '{' nodes error '}'                       { RESUMED; nodes_close(p, $2); $$ = $2; }
    ;

functions: %empty
         | functions function
         ;
function: open_header header name params fvars ARROW fvars finfos body
                                                { text_function(p, @3, $1, $3, $4, $5, $7, $8, $9); }
        | error body                            { (void)$2; RESUMED; }
        ;
params: %empty                                  { $$ = NULL; }
      | '<' param_list '>'                      { $$ = $2; }
      ;
param_list: name                                { $$ = NULL; PUSH($$, Params, names, mname(p, @1, $1)); }
          | attr                                { $$ = NULL; PUSH($$, Params, defaults, p->attrs.at[--p->attrs.n]); }
          | name ':' id                         { $$ = NULL; PUSH($$, Params, names, mname(p, @1, $1)); }
          | param_list ',' name ':' id          { $$ = $1; PUSH($$, Params, names, mname(p, @3, $3)); }
          | param_list ',' name                 { $$ = $1; PUSH($$, Params, names, mname(p, @3, $3)); }
          | param_list ',' attr                 { $$ = $1; PUSH($$, Params, defaults, p->attrs.at[--p->attrs.n]); }
          ;
fvars: '(' ')'                                  { $$ = NULL; }
     | '(' vars ')'                             { $$ = $2; }
     ;
vars: info                                      { $$ = NULL; PUSH($$, FuncVars, infos, *$1); }
    | vars ',' info                             { $$ = $1; PUSH($$, FuncVars, infos, *$3); }
    ;
finfos: %empty                                  { $$ = NULL; }
      | '<' '>'                                 { $$ = NULL; }
      | '<' infos end_angle                     { $$ = $2; }
      ;

/* ---- nodes ---- */

nodes: %empty                                   { $$ = nodes_open(p, @$); }
     | nodes node                               { $$ = $1; VEC_PUSH(p->c, $$->v, $2); }
     | nodes error SYNC                         { $$ = $1; RESUMED; text_resume(p, $$); }
     ;
node: outs call                                 { $$ = $2; $$->name = ""; $$->out = $1->at; $$->nout = $1->n; }
    | '[' ']' outs call                         { $$ = $4; $$->name = ""; $$->out = $3->at; $$->nout = $3->n; }
    | '[' name ']' outs call                    { $$ = $5; $$->name = $2; $$->out = $4->at; $$->nout = $4->n; }
    ;
outs: ids '='                                   { $$ = names_take(p); }
    ;
ids: { p->names.n = 0; } id_or_none
   | ids ',' id_or_none
   ;
id_or_none: %empty                              { VEC_PUSH(p->c, p->names, mname(p, @$, NULL)); }
          | name                                { VEC_PUSH(p->c, p->names, mname(p, @1, $1)); }
          ;
call: callee attrs '(' ids ')'                  { $<names>$ = names_take(p); }
      attrs                                     { $$ = text_call(p, $1, $2, $<names>6, $7, @7); }
    ;
callee: dotted overload                         { $$ = text_callee(p, @1, $2); }
      ;
dotted: name                                    { p->names.n = 0; VEC_PUSH(p->c, p->names, mname(p, @1, $1)); }
      | dotted '.' name                         { VEC_PUSH(p->c, p->names, mname(p, @3, $3)); }
      ;
overload: %empty                                { $$ = ""; }
        | ':' name                              { $$ = $2; }
        ;

/* ---- attributes ---- */

attrs: %empty                                   { $$ = NULL; }
     | '<' attrs_open '>'                       { $$ = attrs_take(p, $2); }
     | '<' attrs_open attr_list '>'             { $$ = attrs_take(p, $2); }
     ;
attrs_open: %empty                              { $$ = p->attrs.n; }
          ;
attr_list: attr
         | attr_list ',' attr
         ;
attr: name kind '=' values_open value           { attr_push(p, @1, $1, $2, $4, false); }
    | name kind '=' values_open '[' ']'         { attr_push(p, @1, $1, $2, $4, true); }
    | name kind '=' values_open '[' values ']'  { attr_push(p, @1, $1, $2, $4, true); }
    ;
kind: %empty                                    { $$ = NULL; }
    | ':' id                                    { $$ = $2; }
    ;
values_open: %empty                             { $$ = p->values.n; }
           ;
values: value
      | values ',' value
      ;
value: NUM                                      { VALUE(.kind = literal_kind($1), .lit = *$1); }
     | INFNAN                                   { VALUE(.kind = ATTR_FLOAT, .lit = {$1, strlen($1), spot_loc(p, @1)}); }
     | STRING                                   { VALUE(.kind = ATTR_STRING, .lit.loc = spot_loc(p, @1), .s = $1); }
     | '@' name                                 { VALUE(.lit.loc = spot_loc(p, @1), .s = $2); }
     | graph_value                              { VALUE(.kind = ATTR_GRAPH, .lit.loc = spot_loc(p, @1), .graph = $1); }
     | type                                     { VALUE(.kind = ATTR_TYPE, .lit.loc = spot_loc(p, @1), .type = $1); }
     | type tensor_open braces                  { TENSOR(@1, $3); }
     | type tensor_open '=' data                { TENSOR(@1, $4); }
     | type name                                { p->constant = mname(p, @2, $2); p->type = $1; }
       equals data                              { TENSOR(@1, $5); }
     | ID                                       { p->constant = mname(p, @1, ""); p->type = text_scalar(p, @1, $1); }
       braces                                   { TENSOR(@1, $3); }
     ;
tensor_open: %empty                             { p->constant = mname(p, @$, ""); p->type = $<type>0; }
           ;
equals: %empty | '='
      ;
graph_value: ID inputs ARROW outputs rest body  { $$ = text_graph(p, @1, $1, $2, $4, $5, $6); }
           | STRING inputs ARROW outputs rest body
                                                { $$ = text_graph(p, @1, text_name(p, @1, $1), $2, $4, $5, $6); }
           ;
data: %empty                                    { $$ = payload_none(p, false); }
    | braces
    | '[' entries ']'                           { $$ = text_external(p, $2); }
    ;
braces: '{'                                     { $<tensor>$ = payload_read(p); }
        '}'                                     { $$ = $<tensor>2; }
      | ELLIPSIS                                { $$ = payload_none(p, true); }
      ;

/* ---- types and names ---- */

type: TYPE                                      { p->dims.n = 0; $$ = text_tensor_type(p, @1, $1, true); }
    | TYPE '[' ']'                              { p->dims.n = 0; $$ = text_tensor_type(p, @1, $1, false); }
    | TYPE '[' { p->dims.n = 0; } dims ']'      { $$ = text_tensor_type(p, @1, $1, true); }
    | ID '[' ']'                                { p->dims.n = 0; $$ = text_tensor_type(p, @1, $1, false); }
    | ID '[' { p->dims.n = 0; } dims ']'        { $$ = text_tensor_type(p, @1, $1, true); }
    | SEQ '(' deeper type ')'                   { p->nesting--; $$ = text_type(p, @1, M_SEQUENCE, $4); }
    | OPTIONAL '(' deeper type ')'              { p->nesting--; $$ = text_type(p, @1, M_OPTIONAL, $4); }
    | SPARSE '(' deeper type ')'                { p->nesting--; $$ = text_type(p, @1, M_SPARSE, $4); }
    | MAP '(' TYPE ',' deeper type ')'          { p->nesting--; $$ = text_map(p, @1, $3, $6); }
    | OPAQUE '(' ')'                            { $$ = text_opaque(p, @1, 0, NULL); }
    | OPAQUE '(' dotted ')'                     { $$ = text_opaque(p, @1, p->names.n, NULL); }
    | OPAQUE '(' dotted ',' id ')'              { $$ = text_opaque(p, @1, p->names.n, $5); }
    ;
deeper: %empty                                  { text_deeper(p, @$); }
      ;
dims: dim
    | dims ',' dim
    ;
dim: '?'                                        { VEC_PUSH(p->c, p->dims, ((MDim){-1, NULL})); }
   | name                                       { VEC_PUSH(p->c, p->dims, ((MDim){-1, $1})); }
   | NUM                                        { text_dim(p, $1); }
   ;
name: id
    | STRING                                    { $$ = text_name(p, @1, $1); }
    ;
id: ID | TYPE | INFNAN | SEQ | MAP | OPTIONAL | SPARSE | OPAQUE
  ;
plain: ID
     | INFNAN
     | STRING                                   { $$ = text_name(p, @1, $1); }
     ;

%%

static MValueInfo *info(const Parser *p, Spot s, const char *name, const MType *type)
{
    MValueInfo *v = NEW(p->c, MValueInfo);
    *v = (MValueInfo){name, spot_loc(p, s), type};
    return v;
}

static const MType *text_map(Parser *p, Spot s, const char *keys, const MType *values)
{
    MType *t = text_type(p, s, M_MAP, values);
    t->dt = dtype_parse(keys);
    return t;
}

/* What stands where only a type may, and is none: to say so. */
static const MType *text_scalar(Parser *p, Spot s, const char *elem)
{
    p->dims.n = 0;
    return text_tensor_type(p, s, elem, true);
}

enum { MOST = 24, SHOWN = 6 };       /* expected tokens asked for; that a message names */

/* Every word may be a name, and a type may begin with one of several: people want to hear of names and types. */
static int join_words(yysymbol_kind_t *k, int n)
{
    bool name = false, seq = false;
    int kept = 0;
    for (int i = 0; i < n; i++) {
        name |= k[i] == YYSYMBOL_ID;
        seq |= k[i] == YYSYMBOL_SEQ;
    }
    for (int i = 0; i < n; i++) {
        bool word = k[i] >= YYSYMBOL_SEQ && k[i] <= YYSYMBOL_OPAQUE;
        bool other = k[i] == YYSYMBOL_TYPE || k[i] == YYSYMBOL_STRING || k[i] == YYSYMBOL_INFNAN;
        bool drop = k[i] == YYSYMBOL_SYNC || (seq && word) || (name && other);
        if (!drop)
            k[kept++] = k[i];
    }
    return kept;
}

static int yyreport_syntax_error(const yypcontext_t *at, void *scanner, Parser *p)
{
    yysymbol_kind_t expected[MOST];
    char text[200] = "";
    size_t n = 0;
    int count = join_words(expected, yypcontext_expected_tokens(at, expected, MOST));
    (void)scanner;
    for (int i = 0; i < count && count <= SHOWN && n < sizeof text; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", i == 0 ? "" : i < count - 1 ? ", " : " or ",
                              yysymbol_name(expected[i]));
    text_unexpected(p, *yypcontext_location(at), yypcontext_token(at) == YYSYMBOL_YYEOF, text);
    return 0;
}

static void yyerror(const Spot *s, void *scanner, Parser *p, const char *message)
{
    (void)scanner;
    fatal(p->c, spot_loc(p, *s), "%s", message);     /* bison's stack is full */
}
