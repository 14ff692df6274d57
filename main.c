/* burin: options, then read -> passes -> emit; a page a command. The one place that knows all rooms: it hands the
 * operator table to the context, so that no room includes another sideways.
 *
 * Exit status: 0 done, 1 the model is refused or a check differs (no file is written or changed), 2 the command line is
 * wrong. */
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "codegen.h"
#include "frontend.h"
#include "ops.h"
#include "passes.h"

enum { DONE = 0, REFUSED = 1, USAGE = 2 };

typedef struct Args {                /* the command line, taken apart */
    const char *command, *model, *out, *as, *prefix;
    int nrest; char **rest;          /* what follows the model */
    ReadOptions read;
    PipeOptions pipe;
    const Target *target;
    EmitOptions emit;
    CheckOptions check;
    bool json, html, bisect, counts, fast_math, stream;
    unsigned seen;                   /* which of `limited` were given */
} Args;

static const char usage[] =
    "usage: burin COMMAND MODEL [options]\n"
    "\n"
    "  build MODEL [-o OUT.c]        compile a model into OUT.c and OUT.h (-o -: on standard output)\n"
    "  run MODEL [INPUT=FILE]        evaluate with the interpreter, print the outputs (-o DIR: write output_N.npy);\n"
    "                                FILE is .npy or a TensorProto .pb\n"
    "  check MODEL [DATASET_DIR ...] compile with $CC, run, compare with the interpreter, or with the folder's files\n"
    "                                output_N.pb for input_N.pb; --rtol, --atol, --bisect: first node that differs\n"
    "  show MODEL                    the program after a pass: --after=PASS, --as=text|loops|svg|dot|json\n"
    "  report MODEL                  RAM, flash, stack, operations, bytes moved; --json: with all accesses; --html\n"
    "  bench MODEL                   compile with $CC, time each kernel, compare with the machine's peak; --json\n"
    "  ops [NAME]                    the operators that are known, their versions and types; one in full\n"
    "\n"
    "  -D NAME=N                     the size of a symbolic dimension\n"
    "  --shape INPUT=1,3,32,32 --type INPUT=float    the shape, the type of an input, whatever the model says\n"
    "  --weights-file FILE           the weights of OpenVINO IR (default: the model's name with .bin)\n"
    "  --prefix NAME                 prefix of every exported name (default: the stem of OUT)\n"
    "  --arena=static|caller         the workspace: a static array (default), or a parameter\n"
    "  --io=copy|arena               inputs and outputs are buffers of the caller's (default), or live in the arena\n"
    "  --counts                      a parameter more for each output whose size depends on data: its true dimensions\n"
    "  --weights=c|bin               constants as C arrays (default), or in OUT.bin\n"
    "  --ram-budget=N --flash-budget=N    refuse a model that needs more bytes of RAM (default: 2 GiB), for constants\n"
    "  --target=NAME                 the machine that tile shapes are chosen for (? lists them)\n"
    "  --fast-math --stream          rewrites that round otherwise, for speed; rows in rings, where that saves RAM\n"
    "  --string-bytes=N              room for a computed string (255)\n"
    "  --after=PASS --stop-after=PASS --pass-limit=N --check-passes    look into, bisect, check (PASS ? lists them)\n"
    "  --help --version\n";

/* ---- the command line -------------------------------------------------------------------------------------------- */

static NORETURN PRINTF(1, 2) void wrong(const char *fmt, ...)
{
    va_list a;
    va_start(a, fmt);
    fputs("burin: ", stderr);
    vfprintf(stderr, fmt, a);
    fputs("; see burin --help\n", stderr);
    va_end(a);
    quick_exit(USAGE);               /* nothing is given back, so nothing is looked for either */
}

static int64_t number(const char *option, const char *text, int64_t least, int64_t most)
{
    char *end;
    errno = 0;
    long long v = strtoll(text, &end, 10);
    if (end == text || *end || errno || v < least || v > most)
        wrong("%s wants a number from %lld to %lld, not '%s'", option, (long long)least, (long long)most, text);
    return v;
}

static double tolerance(const char *option, const char *text)
{
    char *end;
    double v = strtod(text, &end);
    if (end == text || *end || !isfinite(v) || v < 0) wrong("%s wants a number from 0, not '%s'", option, text);
    return v;
}

static void taken(const char *fault)
{
    if (fault) wrong("%s", fault);
}

static bool choice(const char *option, const char *text, const char *no, const char *yes)
{
    if (strcmp(text, no) && strcmp(text, yes)) wrong("%s is %s or %s, not '%s'", option, no, yes, text);
    return !strcmp(text, yes);
}

/* For a name that is none of a list: what there is. Where it is '?', which asks for that, it is the answer. */
static NORETURN void list_names(const char *option, const char *all, const char *name, const char *(*at)(int))
{
    const bool asked = !strcmp(name, "?");
    FILE *f = asked ? stdout : stderr;
    if (!asked) fprintf(f, "burin: %s: '%s' is not known; ", option, name);
    fprintf(f, "the %s are", all);
    for (int k = 0; at(k); k++) fprintf(f, "%s %s", k ? "," : "", at(k));
    fputs("\n", f);
    quick_exit(!asked ? USAGE : fflush(f) ? REFUSED : DONE);
}

static const char *pass_named(const char *option, const char *name)
{
    if (pass_find(name) < 0) list_names(option, "passes", name, pass_name);
    return name;
}

static const char *target_name(int k)
{
    const Target *t = target_at(k);
    return t ? t->name : NULL;
}

static const Target *target_named(const char *name)
{
    const Target *t = target_find(name);
    if (!t) list_names("--target", "targets", name, target_name);
    return t;
}

enum Option {
    O_SHAPE = 256, O_TYPE, O_WFILE, O_PREFIX, O_ARENA, O_IO, O_WEIGHTS, O_RAM, O_FLASH, O_TARGET, O_STRING,
    O_COUNTS, O_STREAM, O_AFTER, O_STOP, O_LIMIT, O_CHECK, O_RTOL, O_ATOL, O_BISECT, O_AS, O_JSON, O_HTML, O_FAST,
    O_HELP, O_VERSION,
};

static const struct option options[] = {
    {"shape", required_argument, NULL, O_SHAPE},          {"type", required_argument, NULL, O_TYPE},
    {"prefix", required_argument, NULL, O_PREFIX},        {"arena", required_argument, NULL, O_ARENA},
    {"io", required_argument, NULL, O_IO},                {"weights", required_argument, NULL, O_WEIGHTS},
    {"ram-budget", required_argument, NULL, O_RAM},       {"flash-budget", required_argument, NULL, O_FLASH},
    {"target", required_argument, NULL, O_TARGET},        {"string-bytes", required_argument, NULL, O_STRING},
    {"after", required_argument, NULL, O_AFTER},          {"stop-after", required_argument, NULL, O_STOP},
    {"weights-file", required_argument, NULL, O_WFILE},   {"pass-limit", required_argument, NULL, O_LIMIT},
    {"fast-math", no_argument, NULL, O_FAST},             {"check-passes", no_argument, NULL, O_CHECK},
    {"counts", no_argument, NULL, O_COUNTS},              {"rtol", required_argument, NULL, O_RTOL},
    {"atol", required_argument, NULL, O_ATOL},            {"bisect", no_argument, NULL, O_BISECT},
    {"as", required_argument, NULL, O_AS},                {"json", no_argument, NULL, O_JSON},
    {"html", no_argument, NULL, O_HTML},                  {"help", no_argument, NULL, O_HELP},
    {"version", no_argument, NULL, O_VERSION},            {"stream", no_argument, NULL, O_STREAM},
    {NULL, 0, NULL, 0},
};

/* Options that mean something to some commands only. */
static const struct { int option; const char *name, *commands; } limited[] = {
    {'o', "-o", "build or run"},       {O_AFTER, "--after", "show"},   {O_AS, "--as", "show or ops"},
    {O_JSON, "--json", "report or bench"}, {O_HTML, "--html", "report"},   {O_RTOL, "--rtol", "check"},
    {O_ATOL, "--atol", "check"},     {O_BISECT, "--bisect", "check"},
};

static void refuse_misplaced(const Args *a)
{
    for (int i = 0; i < COUNT(limited); i++)
        if (a->seen >> i & 1 && !strstr(limited[i].commands, a->command))
            wrong("%s belongs to burin %s, not to burin %s", limited[i].name, limited[i].commands, a->command);
}

/* What shapes the emitted text goes into its comment, in the order given. */
static void remember(Ctx *c, Args *a, const char *option, const char *value)
{
    const char *between = !*value ? "" : option[1] == '-' ? "=" : " ";
    a->emit.options =
        internf(c, "%s%s%s%s%s", a->emit.options, *a->emit.options ? " " : "", option, between, value);
}

static bool chosen(Ctx *c, Args *a, const char *option, const char *value, const char *no, const char *yes)
{
    return remember(c, a, option, value), choice(option, value, no, yes);
}

static void take_option(Ctx *c, Args *a, int o)
{
    switch (o) {
    case 'o': a->out = optarg; break;
    case 'D': taken(option_size(c, &a->read, optarg)); remember(c, a, "-D", optarg); break;
    case O_SHAPE: taken(option_shape(c, &a->read, optarg)); remember(c, a, "--shape", optarg); break;
    case O_TYPE: taken(option_type(c, &a->read, optarg)); remember(c, a, "--type", optarg); break;
    case O_WFILE: a->read.weights = optarg; break;
    case O_PREFIX: a->prefix = optarg; break;
    case O_ARENA: a->emit.arena_caller = chosen(c, a, "--arena", optarg, "static", "caller"); break;
    case O_IO: a->emit.io_arena = chosen(c, a, "--io", optarg, "copy", "arena"); break;
    case O_WEIGHTS: a->emit.weights_bin = chosen(c, a, "--weights", optarg, "c", "bin"); break;
    case O_COUNTS: a->counts = true; remember(c, a, "--counts", ""); break;
    case O_STREAM: a->stream = true; remember(c, a, "--stream", ""); break;
    case O_RAM: a->emit.ram_budget = number("--ram-budget", optarg, 0, INT64_MAX); break;
    case O_FLASH: a->emit.flash_budget = number("--flash-budget", optarg, 0, INT64_MAX); break;
    case O_TARGET: a->target = target_named(optarg); remember(c, a, "--target", optarg); break;
    case O_FAST: a->fast_math = true; remember(c, a, "--fast-math", ""); break;
    case O_STRING: remember(c, a, "--string-bytes", optarg);
        c->string_bytes = (int)number("--string-bytes", optarg, 1, 1 << 20); break;
    case O_AFTER: a->pipe.after = pass_named("--after", optarg); break;
    case O_STOP: a->pipe.stop_after = pass_named("--stop-after", optarg); break;
    case O_LIMIT: a->pipe.limit = (int)number("--pass-limit", optarg, 0, 1000); break;
    case O_CHECK: a->pipe.check = true; break;
    case O_RTOL: a->check.rtol = tolerance("--rtol", optarg); break;
    case O_ATOL: a->check.atol = tolerance("--atol", optarg); break;
    case O_BISECT: a->bisect = true; break;
    case O_AS: a->as = optarg; break;
    case O_JSON: a->json = true; break;
    case O_HTML: a->html = true; break;
    case O_HELP: fputs(usage, stdout); exit(DONE);
    case O_VERSION: puts("burin " BURIN_VERSION); exit(DONE);
    default: wrong("the command line is not understood");
    }
}

static Args take_args(Ctx *c, int argc, char **argv)
{
    Args a = {.emit = {.options = "", .ram_budget = (int64_t)1 << 31, .flash_budget = -1},
              .pipe = {.limit = -1}, .target = target_at(0), .check = {.rtol = -1, .atol = -1}};
    for (int o; (o = getopt_long(argc, argv, "o:D:h", options, NULL)) != -1;) {
        for (int i = 0; i < COUNT(limited); i++)
            if (limited[i].option == o) a.seen |= 1u << i;
        take_option(c, &a, o == 'h' ? O_HELP : o);
    }
    if (optind == argc) fputs(usage, stderr), exit(USAGE);
    a.command = argv[optind++];
    if (!strcmp(a.command, "help")) take_option(c, &a, O_HELP);
    if (optind < argc) a.model = argv[optind++];
    a.nrest = argc - optind, a.rest = argv + optind;
    a.emit.isa = a.target->isa, a.emit.vector = target_vector(a.target);
    return a;
}

/* ---- read and passes --------------------------------------------------------------------------------------------- */

static void say_progress(const char *pass)       /* only on a terminal, and only when it takes long */
{
    if (!isatty(STDERR_FILENO) || clock() < CLOCKS_PER_SEC) return;
    fprintf(stderr, pass ? "\r\033[K%s ..." : "\r\033[K", pass);
}

static const Type *edge_types(Ctx *c, int n, Edge *const *edges)
{
    Type *types = NEW_N(c, Type, n);
    for (int i = 0; i < n; i++) types[i] = edges[i]->type;
    return types;
}

static Unit transformed(Ctx *c, Args *a, const Graph *g)
{
    Unit u = {.graph = g, .target = a->target, .fast_math = a->fast_math, .stream = a->stream,
              .io_arena = a->emit.io_arena};
    if (a->counts) u.graph = graph_counted(c, u.graph);
    a->emit.ncounts = u.graph->ncounts;
    a->emit.counted = u.graph->counted;
    a->pipe.progress = say_progress;
    u = pipeline_run(c, u, &a->pipe);
    say_progress(NULL);
    a->emit.in_types = edge_types(c, u.graph->nins, u.graph->ins);
    a->emit.out_types = edge_types(c, u.graph->nouts, u.graph->outs);
    return u;
}

static Unit compiled(Ctx *c, Args *a)
{
    const Graph *g = frontend_read(c, a->model, &a->read);
    return c->errors ? (Unit){NULL} : transformed(c, a, g);
}

/* ---- the commands ------------------------------------------------------------------------------------------------ */

static void name_output(Ctx *c, Args *a, bool to_stdout)
{
    const char *base = strrchr(a->model, '/');
    a->emit.model_path = a->model;
    if (!a->out) a->out = internf(c, "%s.c", path_stem(c, base ? base + 1 : a->model));
    size_t n = strlen(a->out);
    if (!to_stdout && (n < 3 || strcmp(a->out + n - 2, ".c"))) wrong("OUT must end in .c, not '%s'", a->out);
    const char *stem = path_stem(c, to_stdout ? a->model : a->out);
    if (!to_stdout && header_taken(stem)) wrong("%s.h would hide a header of C's library: choose another OUT (-o)", stem);
    if (a->prefix && strcmp(a->prefix, prefix_from(c, a->prefix)))
        wrong("--prefix '%s' is no C name of letters, digits and single inner underscores", a->prefix);
    a->emit.prefix = a->prefix ? a->prefix : prefix_from(c, stem);
    a->emit.header_name = to_stdout ? NULL : internf(c, "%s.h", stem);
}

static void build(Ctx *c, Args *a)
{
    const bool to_stdout = a->out && !strcmp(a->out, "-");
    if (to_stdout && a->emit.weights_bin) wrong("--weights=bin needs a file: it cannot go with -o -");
    name_output(c, a, to_stdout);
    Unit u = compiled(c, a);
    if (!u.prog || c->errors) return;
    if (to_stdout) {
        emit(c, u.prog, &a->emit, (EmitFiles){stdout, stdout, NULL});
        return;
    }
    const char *stem = intern_n(c, a->out, strlen(a->out) - 2);
    Output *t = NEW_N(c, Output, 3);
    int n = 0, bin = -1;
    output_open(c, &t[n++], internf(c, "%s.h", stem), a->model);
    if (a->emit.weights_bin) output_open(c, &t[bin = n++], internf(c, "%s.bin", stem), a->model);
    output_open(c, &t[n++], a->out, a->model);
    bool good = emit(c, u.prog, &a->emit, (EmitFiles){t[n - 1].file, t[0].file, bin < 0 ? NULL : t[bin].file});
    for (int i = 0; i < n; i++) good &= output_close(c, &t[i]);
    if (good && !c->errors) outputs_place(c, t, n);
}

static void show(Ctx *c, Args *a)
{
    static const char *const ways[] = {"text", "loops", "svg", "dot", "json"};
    int k = a->as ? 0 : 1;
    while (a->as && k < COUNT(ways) && strcmp(ways[k], a->as)) k++;
    if (k == COUNT(ways)) wrong("--as is text, loops, svg, dot or json, not '%s'", a->as);
    if (k == 0 && a->pipe.after && pass_find(a->pipe.after) >= pass_find("lower"))
        wrong("--as=text is the graph; after pass '%s' there are loops", a->pipe.after);
    if (k == 0 && !a->pipe.after) a->pipe.after = "fold";
    Unit u = compiled(c, a);
    if (c->errors || (a->as && picture(stdout, c, a->as, u.graph, u.prog))) return;
    if (a->as ? k == 0 : !u.prog) graph_print(stdout, c, u.graph);
    else prog_print(stdout, c, u.prog ? u.prog : graph_lower(c, u.graph));
}

static void report(Ctx *c, Args *a)
{
    if (a->html && a->json) wrong("report prints text, JSON with --json, or a page with --html: not both");
    name_output(c, a, true);
    Unit u = compiled(c, a);
    if (!u.prog || c->errors) return;
    if (a->html) report_html(stdout, c, u.prog, &a->emit);
    else if (a->json) report_json(stdout, c, u.prog, &a->emit);
    else report_text(stdout, c, u.prog, &a->emit);
}

static void run(Ctx *c, Args *a)
{
    a->counts = true;
    if (a->out && !strcmp(a->out, "-")) wrong("run -o wants a folder; without -o it prints the outputs");
    Unit u = compiled(c, a);
    if (!u.prog || c->errors) return;
    const Graph *g = u.graph;
    const Tensor **in = NEW_N(c, const Tensor *, g->nins);
    c->needs = needs_text(c, g, u.prog, 1);
    taken(inputs_read(c, g, a->nrest, a->rest, in));
    if (c->errors) return;
    Tensor **out = interpreted(c, u.prog, &a->emit, in, true);
    const int shown = g->nouts - g->ncounts;
    for (int k = 0; k < g->ncounts; k++) out[g->counted[k]] = tensor_front(c, out[g->counted[k]], out[shown + k]);
    if (a->out && mkdir(a->out, 0777) && errno != EEXIST)
        fatal(c, (Loc){0}, "cannot make '%s': %s", a->out, strerror(errno));
    for (int k = 0; k < shown; k++)
        if (a->out) value_write(c, internf(c, "%s/output_%d", a->out, k), out[k]);
        else tensor_print(stdout, c, g->out_names[k], out[k]);
}

static void private_names(Args *a)              /* what is emitted to be run here */
{
    a->emit.header_name = "model.h";
    a->emit.model_path = a->model;
    a->emit.prefix = "model";
}

/* The folders' data; without one, seeded inputs and no outputs. */
static CheckSet *check_sets(Ctx *c, const Args *a, const Graph *g, int n)
{
    CheckSet *sets = NEW_N(c, CheckSet, n);
    for (int s = 0; s < n; s++) {
        const Tensor **in = NEW_N(c, const Tensor *, g->nins), **out = NEW_N(c, const Tensor *, g->nouts);
        for (int k = 0; k < g->nins && !a->nrest; k++) in[k] = tensor_seeded(c, g->ins[k]->type, (uint64_t)k);
        if (a->nrest) dataset_read(c, a->rest[s], g, in, out);
        sets[s] = (CheckSet){a->nrest ? a->rest[s] : NULL, in, a->nrest ? out : NULL};
    }
    return sets;
}

/* The program with all its values as outputs: the first that differs. */
static void bisect(Ctx *c, const Args *given, const Graph *g, const CheckSet *sets, int n)
{
    const Graph *all = graph_publish(c, g);
    Args own = *given, *a = &own;
    a->counts = false;
    a->emit.ram_budget = a->emit.flash_budget = INT64_MAX;
    a->check.graph = graph_lower(c, all);
    Unit u = transformed(c, a, all);
    for (int s = 0; s < n && !c->errors; s++) {
        const CheckSet set = {sets[s].name, sets[s].in, NULL};
        const int k = check_first(stdout, c, u.prog, &a->emit, &a->check, &set);
        const Node *at = k < 0 ? NULL : all->outs[k]->from;
        if (at) error(c, at->loc, "%s is the first node whose output differs from the interpreter's", node_text(c, at));
    }
    const char *where = a->fast_math ? " behind the passes" : "";
    if (!c->errors) printf("no value differs from the interpreter's%s, %d compared one by one\n", where, all->nouts);
}

static void check(Ctx *c, Args *a)
{
    const int n = a->nrest ? a->nrest : 1;
    const Graph *g = frontend_read(c, a->model, &a->read);
    if (c->errors) return;
    a->counts = true;                /* what counts of an output whose size depends on data is its valid part */
    c->needs = needs_text(c, g, NULL, 2);
    const CheckSet *sets = check_sets(c, a, graph_counted(c, g), n);
    if (c->errors) return;
    private_names(a);
    a->check.tolerance = graph_tolerance(g);
    a->check.rounds = a->fast_math;
    if (a->bisect) bisect(c, a, g, sets, n);
    if (c->errors) return;
    a->check.graph = graph_lower(c, graph_counted(c, g));
    Unit u = transformed(c, a, g);
    if (c->errors) return;
    c->needs = needs_text(c, u.graph, u.prog, 2);
    check_prog(stdout, c, u.prog, &a->emit, &a->check, n, sets);
}

static void bench(Ctx *c, Args *a)
{
    private_names(a);
    Unit u = compiled(c, a);
    if (c->errors) return;
    c->needs = needs_text(c, u.graph, u.prog, 1);
    bench_prog(stdout, c, u.prog, &a->emit, check_sets(c, a, u.graph, 1)->in, a->json);
}

static void ops(Ctx *c, Args *a)
{
    const bool table = a->as && choice("--as", a->as, "text", "table");
    if (a->model) ops_detail(stdout, c, a->model);
    else if (table) ops_rows(stdout, c);
    else ops_print(stdout, c);
}

/* ---- main -------------------------------------------------------------------------------------------------------- */

static const struct Command {
    const char *name;
    void (*run)(Ctx *, Args *);
    bool model, rest;                /* needs a model; takes more behind it, or a name instead */
} commands[] = {
    {"build", build, true, false}, {"run", run, true, true},   {"check", check, true, true}, {"ops", ops, false, true},
    {"bench", bench, true, false}, {"show", show, true, false}, {"report", report, true, false},
};

typedef struct Job { const struct Command *command; Args *args; } Job;

static void work(Ctx *c, void *job)
{
    Job *j = job;
    c->ops = op_tables_new(c, 2, (const OpList[]){{ops_table, ops_count, false}, {openvino_ops, openvino_count, true}});
    j->command->run(c, j->args);
}

static const struct Command *find_command(const Args *a)
{
    const char *names[COUNT(commands)];
    for (int i = 0; i < COUNT(commands); i++) {
        const struct Command *k = &commands[i];
        if (strcmp(names[i] = k->name, a->command)) continue;
        if (k->model && !a->model) wrong("burin %s needs a model", k->name);
        refuse_misplaced(a);
        if (a->nrest && (!k->rest || !k->model)) wrong("burin %s: one argument too many: '%s'", k->name, a->rest[0]);
        return k;
    }
    const char *near = nearest(a->command, names, COUNT(names));
    if (near) wrong("there is no command '%s': did you mean '%s'?", a->command, near);
    wrong("there is no command '%s'", a->command);
}

/* Standard output is a pipe that nobody reads any more, as in `burin ops | head`: no fault to tell. */
static bool reader_left(void)
{
    struct pollfd out = {STDOUT_FILENO, POLLOUT, 0};
    return poll(&out, 1, 0) > 0 && (out.revents & POLLERR);
}

int main(int argc, char **argv)
{
    Ctx *c = ctx_new();
    if (!c) {
        fputs("burin: error: out of memory\n", stderr);
        return REFUSED;
    }
    signal(SIGPIPE, SIG_IGN);        /* a write that fails says so itself */
    signal(SIGXFSZ, SIG_IGN);
    Args a = take_args(c, argc, argv);
    Job j = {find_command(&a), &a};
    bool good = ctx_run(c, work, &j);
    if (fflush(stdout) || ferror(stdout)) {
        const int why = errno;
        if (!reader_left()) error(c, (Loc){0}, "cannot write on standard output: %s", strerror(why));
        good = false;
    }
    good = good && c->errors == 0;
    diag_flush(c, stderr);
    ctx_free(c);
    return good ? DONE : REFUSED;
}
