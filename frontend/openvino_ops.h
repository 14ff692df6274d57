/* What the meanings of OpenVINO's layers share: functions that rows of openvino.def name where a formula does not do.
 * Most are `.expand` (ir/graph/op.h), some kernels of their own. */
#ifndef BURIN_OPENVINO_OPS_H
#define BURIN_OPENVINO_OPS_H

#include "frontend.h"

typedef bool LayerExpand(Build *b, const Node *n, Edge **out);
typedef bool LayerInfer(Build *b, const Node *n, Type *out);
typedef void LayerLower(Lower *l);

/* openvino_ops.c: what they share */
typedef struct Ints { int n; int64_t v[MAX_RANK]; } Ints;
bool ov_known_ints(Build *b, const Node *n, int k, Ints *to);       /* operand k, up to MAX_RANK; false: told */
bool ov_known_axes(Build *b, const Node *n, int k, int rank, Ints *to);     /* the same, counted from the front */
bool ov_list_attr(Build *b, const Node *n, const char *name, int count, int64_t absent, Ints *to);
Edge *ov_to_dims(Build *b, Edge *x, int rank, const int64_t *dims);         /* Reshape */
Edge *ov_to_order(Build *b, Edge *x, int rank, const int64_t *perm);        /* Transpose */
Edge *ov_part_of(Build *b, Edge *x, int axis, int64_t from, int64_t to);    /* along an axis */
Edge *ov_joined(Build *b, int n, Edge *const *x, int axis);
Edge *ov_number_of(Build *b, DType dt, double v);
void ov_best(Build *b, Edge *x, int64_t k, bool largest, Edge **got);    /* values and places in the last dimension */
Edge *ov_where(Build *b, Edge *c, Edge *x, double otherwise);
Edge *ov_gathered(Build *b, Edge *x, Edge *at, int batch);               /* along the axis behind the batch */

/* openvino_window.c */
LayerExpand ov_convolution, ov_deconvolution, ov_deformable, ov_pool, ov_adaptive_pool, ov_patches;
/* openvino_move.c, openvino_index.c */
LayerExpand ov_namesake, ov_aligned, ov_transpose, ov_split, ov_variadic_split, ov_strided_slice, ov_pad, ov_tile,
    ov_broadcast, ov_roll;
LayerExpand ov_batch_to_space, ov_space_to_batch, ov_depth_to_space, ov_space_to_depth, ov_shuffle, ov_gather,
    ov_scatter_update, ov_matmul, ov_fourier;
LayerExpand ov_interpolate, ov_reorg;
/* openvino_detect.c */
LayerExpand ov_prior_box, ov_prior_box_clustered, ov_region_yolo, ov_ctc_greedy;
/* openvino_boxes.c, openvino_nms.c, openvino_kept.c */
LayerExpand ov_detection_output, ov_nms;
LayerInfer ov_kept_infer, ov_softened_infer;
LayerLower ov_kept, ov_decayed, ov_softened;
/* openvino_paths.c, openvino_random.c */
LayerInfer ov_tree_infer, ov_spelled_infer, ov_philox_infer;
LayerLower ov_tree, ov_spelled, ov_philox;
/* openvino_proposal.c */
LayerExpand ov_anchors, ov_pyramid;
/* openvino_rois.c */
LayerInfer ov_roi_samples_infer, ov_ps_roi_infer, ov_deformable_roi_infer;
LayerLower ov_roi_samples, ov_ps_roi, ov_deformable_roi;
/* openvino_recurrent.c */
LayerExpand ov_sequence, ov_cell, ov_loop, ov_iterator, ov_if;

#endif
