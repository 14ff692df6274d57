/* The room's own header: what files of meanings share, and the functions that the rows of *.def name.
 * A meaning is one of four kinds of function (see ir/graph/op.h); its kind is its type here. */
#ifndef BURIN_MEANING_H
#define BURIN_MEANING_H

#include "kit.h"
#include "ops.h"

/* Meanings of one kind are all given the same; few need all of it. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* ---- quant.c ---- */

/* Operand k, which is a scalar or has an element per channel: that one, as arithmetic works on it. */
const Expr *single(Lower *l, int k, const Idx *channel);
/* The same, in int32; NULL when left out. */
const Expr *zero_point(Lower *l, int k, const Idx *channel);
/* Element `at` of operand k as a number of type dt, minus z unless that is NULL. */
const Expr *shifted(Lower *l, int k, const Idx *const *at, DType dt, const Expr *z);
/* sum·scale in the type of operand zero_point. */
const Expr *requantised(Lower *l, const Expr *sum, const Expr *scale, int zero_point);

/* ---- ml.c: classical learning ---- */

const Tensor *attr_data(Build *b, const Node *n, const char *name); /* NULL when absent */
/* The place among names of element i of the attribute, whose value is t: it is a name or that place. -1: a fault was
 * reported. */
int name_place(Build *b, const Node *n, const char *attr, const Tensor *t, int64_t i, const char *const *names,
               int count);
Edge *numbers(Build *b, DType dt, int rank, const int64_t *dims, const int64_t *v, const double *d); /* v or d */
Edge *features(Build *b, const Node *n); /* X as [N,features] of float, double stays; NULL: a fault was reported */
const Tensor *class_labels(Build *b, const Node *n, const char *ints); /* NULL: a fault was reported */

/* ---- the meanings, by file ---- */

/* late.c: operands that are known at run time only */
Expand late_split, late_dft, late_stft, late_mel, late_col2im, late_resize;

/* shape.c */
Expand shape;
Infer reshape_infer, flatten_infer, squeeze_infer, unsqueeze_infer, identity_infer;
At reshaped_at, identity_at;

/* constant.c */
Expand constant;
Infer constant_of_shape_infer, range_infer, eye_like_infer, one_hot_infer;
At constant_of_shape_at, range_at, eye_like_at, one_hot_at;

/* cast.c */
Expand cast_names;
Infer cast_infer, bit_cast_infer;
At cast_at, bit_cast_at;
/* x, the cast of v to a float of 8 bits, without its saturation: infinite or NaN beyond the greatest number. */
const Expr *unless_beyond(Ctx *c, DType to, const Expr *x, const Expr *v);

/* movement.c */
Infer transpose_infer, expand_infer, repeat_infer, slice_infer, concat_infer, split_infer, trilu_infer;
At transpose_at, expand_at, repeated_at, sliced_at, split_at, trilu_at;
LowerFn concat;

/* pad.c */
Infer pad_infer;
At pad_at;

/* gather.c */
Infer gather_infer, gather_nd_infer, gather_elements_infer;
At gather_at, gather_nd_at, gather_elements_at;

/* scatter.c */
Infer scatter_nd_infer, scatter_elements_infer, cum_infer;
LowerFn scatter_nd, scatter_elements, cumulate;

/* elementwise.c */
Expand old_broadcast, same_shapes;
Infer variadic_infer, mod_infer, equal_infer, clip_infer;
LowerFn max_lower, min_lower, sum_lower, mean_lower;

/* activation.c */
Expand prelu_old;
At activation_at;
typedef struct Activation { /* of x, a, b; whether the latter are its attributes alpha and beta, and their defaults */
    const char *name, *text;
    bool takes_alpha, takes_beta;
    float alpha, beta;
} Activation;
const Activation *activation_find(const char *name); /* NULL: unknown */
const Expr *activated(Ctx *c, const Activation *a, const Expr *x, double alpha, double beta);
/* log(1 + exp(X)) = max(X, 0) + log(1 + e), exact to the last places also where u = 1 + e rounds to 1 */
#define SOFTPLUS "e = exp(-abs(X)); u = 1 + e; softplus = relu(X) + (u == 1 ? e : log(u) * e / (u - 1)); "

/* reduce.c */
Infer reduce_infer, arg_infer;
At reduced, arg_found;

/* matmul.c */
Infer matmul_infer, gemm_infer;
At matmul_at, gemm_at;
Expand gemm_old;
/* The two for operands kx and ky of any operator whose result is their product; zero points as in quant.c. */
bool matmul_type(Build *b, const Node *n, int kx, int ky, DType dt, Type *out);
const Expr *matmul_sum(Lower *l, int kx, int ky, const Idx *const *i, DType dt, const Expr *zx, const Expr *zy);

/* norm.c */
Infer softmax_infer;
LowerFn softmax, log_softmax, hardmax;

/* conv.c */
enum { CONV, CONV_TRANSPOSE, CONV_INTEGER, CONV_QLINEAR }; /* .pick */
typedef struct Conv {
    Window win;
    int64_t groups, depth, filters; /* channels per group of what is summed over, and of the result */
} Conv;
bool conv_of(Build *b, const Node *n, Conv *v);
Infer conv_infer;
At conv_at, conv_transpose_at, conv_integer_at, qlinear_conv_at;

/* pool.c */
Infer pool_infer;
At max_pool_at, average_pool_at, lp_pool_at;
Expand max_unpool;

/* quant.c */
Infer quantize_infer, dequantize_infer, matmul_integer_infer, qlinear_matmul_infer;
At quantize_at, dequantize_at, matmul_integer_at, qlinear_matmul_at;

/* resize.c */
Infer resize_infer;
At resize_at;
Expand upsample;

/* attention.c */
Infer rotary_infer, tensor_scatter_infer;
At rotary_at, tensor_scatter_at;

/* det.c */
Infer det_infer;
LowerFn det;

/* linear_attention.c */
Infer linear_attention_infer;
LowerFn linear_attention;

/* control.c */
Expand if_, loop, scan, scan_8;

/* sequence.c */
Expand sequence_construct, sequence_change, sequence_at, sequence_length, concat_from_sequence, split_to_sequence,
    sequence_map, same, optional_has, optional_get;
Edge *concatenated(Build *b, int n, Edge *const *parts, int axis, bool fresh); /* fresh: along a new axis */
Edge *slice_at(Build *b, Edge *x, int axis, int64_t i);                  /* without that axis */

/* recurrent.c */
Infer rnn_infer, gru_infer, lstm_infer;
LowerFn rnn, gru, lstm;

/* loss.c */
Infer loss_infer;

/* microsoft.c */
Expand qlinear_concat;

/* sort.c */
const Expr *beats(Ctx *c, bool largest, const Expr *x, const Expr *y); /* x is better than y; NaN is the greatest */

/* einsum.c, sort.c */
Infer einsum_infer, top_k_infer;
At einsum_at;
LowerFn top_k;

/* select.c */
const Expr *true_dims(Lower *l, int k, int dim, const Expr *n);
const Expr *count_of(Ctx *c, const Sweep *s, const Expr *p);     /* places of the sweep where p holds */
const Stmt *store_flat(Ctx *c, Buf *b, const Expr *p, const Expr *v);    /* v, to flat place p, which is clamped */
const Stmt *count_through(Ctx *c, const Sweep *s, Buf *counter, const Expr *p, const Expr *n, const Stmt *body);
Infer nonzero_infer, compress_infer, unique_infer;
LowerFn nonzero, compress, unique;

/* random.c */
Infer random_infer;
LowerFn random_numbers;
Expand random_scaled, bernoulli, multinomial, dropout_old, dropout;

/* nms.c */
Infer nms_infer;
LowerFn nms;

/* spatial.c */
Expand center_crop_pad;
Infer reverse_infer, col2im_infer, affine_grid_infer;
At reverse_at, col2im_at, affine_grid_at;

/* signal.c */
Expand window_values;
enum { HANN, HAMMING, BLACKMAN };
Infer dft_infer, stft_infer, mel_infer;
At dft_at, stft_at;

/* sample.c */
Infer grid_sample_infer, roi_align_infer, max_roi_pool_infer, deform_conv_infer;
At max_roi_pool_at, deform_conv_at;
LowerFn grid_sample, roi_align;

/* ml.c, tree.c, svm.c, train.c */
Infer tree_walk_infer, pair_coupling_infer;
At tree_walk_at;
LowerFn pair_coupling;
Expand tree_ensemble, tree_regressor, tree_classifier;
Expand feature_vectorizer, svm_classifier, zip_map, steps;

/* normalize.c */
Infer lrn_infer;
At lrn_at;

/* string.c */
Infer tfidf_infer, regex_infer, split_strings_infer, normalizer_infer;
LowerFn tfidf, split_strings, string_normalizer;
At regex_at;

#endif
