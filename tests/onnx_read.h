/* What the unit tests of the binary reader share: reading what onnx_write.h wrote, and what is said about it. */
#ifndef BURIN_ONNX_READ_H
#define BURIN_ONNX_READ_H

#include "onnx_write.h"
#include "unit.h"

static inline void setup(void)
{
    c = ctx_new();
    give_ops(c);
}

typedef struct Job { const File *f; const ReadOptions *o; MModel *m; Graph *g; } Job;

static inline void read_job(Ctx *ctx, void *arg)
{
    Job *job = arg;
    job->m = onnx_read(ctx, job->f, NULL);
    job->g = frontend_import(ctx, job->m, job->o);
}

static inline Job read_file(const File *f)
{
    Job job = {.f = f};
    ctx_run(c, read_job, &job);
    return job;
}

static inline Job read_text(const char *text)
{
    return read_file(onnx_of(c, text));
}

/* What the model becomes, behind its header. */
static inline const char *graph_text(const char *text)
{
    Job job = read_text(text);
    ck_assert_msg(job.g && !c->errors && !job.m->broken, "%s\nsays: %s", text, said());
    const char *printed = text_of(c, print_graph, job.g), *graph = strstr(printed, "\n\"");
    if (!graph)
        graph = strstr(printed, "\ng ");
    return graph ? graph + 1 : printed;
}

static inline void becomes(const char *text, const char *graph)
{
    ck_assert_str_eq(graph_text(text), graph);
}

/* message: a part of what is said. */
static inline void refused_file(const File *f, const char *message)
{
    int before = c->errors;
    read_file(f);
    const char *s = said();
    ck_assert_msg(c->errors > before, "taken, but should say: %s", message);
    ck_assert_msg(strstr(s, message), "says: %.600s\nwanted: %s", s, message);
}

static inline void refused(const char *text, const char *message)
{
    refused_file(onnx_of(c, text), message);
}

#endif
