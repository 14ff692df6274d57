/* The room's own header: what files of meanings share, and the functions that the rows of *.def name.
 * A meaning is one of four kinds of function (see ir/graph/op.h); its kind is its type here. */
#ifndef BURIN_MEANING_H
#define BURIN_MEANING_H

#include "kit.h"
#include "ops.h"

/* Meanings of one kind are all given the same; few need all of it. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* cast.c: x, the cast of v to a float of 8 bits, without its saturation: infinite or NaN beyond the greatest number */
const Expr *unless_beyond(Ctx *c, DType to, const Expr *x, const Expr *v);

/* activation.c */
typedef struct Activation { /* of x, a, b; whether the latter are its attributes alpha and beta, and their defaults */
    const char *name, *text;
    bool takes_alpha, takes_beta;
    float alpha, beta;
} Activation;
const Activation *activation_find(const char *name); /* NULL: unknown */
const Expr *activated(Ctx *c, const Activation *a, const Expr *x, double alpha, double beta);
/* log(1 + exp(X)) = max(X, 0) + log(1 + e), exact to the last places also where u = 1 + e rounds to 1 */
#define SOFTPLUS "e = decay(-abs(X)); u = 1 + e; softplus = relu(X) + (u == 1 ? e : log(u) * e / (u - 1)); "

/* matmul.c: for operands kx and ky of any operator whose result is their product; zero points as in quant.c */
bool matmul_type(Build *b, const Node *n, int kx, int ky, DType dt, Type *out);
const Expr *matmul_sum(Lower *l, int kx, int ky, const Idx *const *i, DType dt, const Expr *zx, const Expr *zy);

/* conv.c */
enum { CONV, CONV_TRANSPOSE, CONV_INTEGER, CONV_QLINEAR }; /* .pick */
typedef struct Conv {
    Window win;
    int64_t groups, depth, filters; /* channels per group of what is summed over, and of the result */
} Conv;
bool conv_of(Build *b, const Node *n, Conv *v);

/* sort.c: x is better than y; NaN is the greatest */
const Expr *beats(Ctx *c, bool largest, const Expr *x, const Expr *y);

/* signal.c */
enum { HANN, HAMMING, BLACKMAN };

/* quant.c */
/* Operand k, which is a scalar or has an element per channel: that one, as arithmetic works on it. */
const Expr *single(Lower *l, int k, const Idx *channel);
/* The same, in int32; NULL when left out. */
const Expr *zero_point(Lower *l, int k, const Idx *channel);
/* Element `at` of operand k as a number of type dt, minus z unless that is NULL. */
const Expr *shifted(Lower *l, int k, const Idx *const *at, DType dt, const Expr *z);
/* sum·scale in the type of operand zero_point. */
const Expr *requantised(Lower *l, const Expr *sum, const Expr *scale, int zero_point);

/* ml.c: X as [N,features] of float, double stays; the labels of classes. NULL: a fault was reported */
Edge *features(Build *b, const Node *n);
const Tensor *class_labels(Build *b, const Node *n, const char *ints);

/* The meanings, of all files. */
At activation_at, affine_grid_at, arg_found, average_pool_at, bit_cast_at, cast_at, col2im_at, constant_of_shape_at,
    conv_at, conv_integer_at, conv_transpose_at, deform_conv_at, dequantize_at, dft_at, einsum_at, expand_at,
    eye_like_at, gather_at, gather_elements_at, gather_nd_at, gemm_at, identity_at, lp_pool_at, lrn_at, matmul_at,
    matmul_integer_at, max_pool_at, max_roi_pool_at, one_hot_at, pad_at, qlinear_conv_at, qlinear_matmul_at,
    quantize_at, range_at, reduced, regex_at, repeated_at, reshaped_at, resize_at, reverse_at, rotary_at, sliced_at,
    stft_at, tensor_scatter_at, transpose_at, tree_walk_at, trilu_at;
Expand cast_names, center_crop_pad, concat_from_sequence, constant, feature_vectorizer, gemm_old, if_, late_col2im,
    late_dft, late_mel, late_resize, late_split, late_stft, loop, max_unpool, old_broadcast, optional_get,
    optional_has, prelu_old, qlinear_concat, same, same_shapes, scan, scan_8, sequence_at, sequence_change,
    sequence_construct, sequence_length, sequence_map, shape, split_to_sequence, steps, svm_classifier,
    tree_classifier, tree_ensemble, tree_regressor, upsample, window_values, zip_map;
Infer affine_grid_infer, arg_infer, bit_cast_infer, cast_infer, clip_infer, col2im_infer, compress_infer,
    concat_infer, constant_of_shape_infer, conv_infer, cum_infer, deform_conv_infer, dequantize_infer, det_infer,
    dft_infer, einsum_infer, equal_infer, expand_infer, eye_like_infer, flatten_infer, gather_elements_infer,
    gather_infer, gather_nd_infer, gemm_infer, grid_sample_infer, gru_infer, linear_attention_infer, loss_infer,
    lrn_infer, lstm_infer, matmul_infer, matmul_integer_infer, max_roi_pool_infer, mel_infer, mod_infer, nms_infer,
    nonzero_infer, normalizer_infer, one_hot_infer, pad_infer, pair_coupling_infer, pool_infer, qlinear_matmul_infer,
    quantize_infer, random_infer, range_infer, reduce_infer, regex_infer, repeat_infer, reshape_infer, resize_infer,
    reverse_infer, rnn_infer, roi_align_infer, rotary_infer, scatter_elements_infer, scatter_nd_infer, slice_infer,
    softmax_infer, split_infer, split_strings_infer, squeeze_infer, stft_infer, tensor_scatter_infer, tfidf_infer,
    top_k_infer, transpose_infer, tree_walk_infer, trilu_infer, unique_infer, unsqueeze_infer, variadic_infer;
LowerFn compress, concat, cumulate, det, grid_sample, gru, hardmax, linear_attention, log_softmax, lstm, max_lower,
    mean_lower, min_lower, nms, nonzero, pair_coupling, random_numbers, rnn, roi_align, scatter_elements, scatter_nd,
    softmax, split, split_strings, string_normalizer, sum_lower, tfidf, top_k, unique;

#endif
