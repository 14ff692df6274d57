/* THE table: every operator that burin knows, one row a version in which its interface or meaning differs. The rows
 * stand beside the code that they name, in FILE.def; README.md says how to add one. */
#include "meaning.h"

const Op ops_table[] = {
#include "shape.def"
#include "constant.def"
#include "movement.def"
#include "gather.def"
#include "elementwise.def"
#include "activation.def"
#include "reduce.def"
#include "matmul.def"
#include "conv.def"
#include "signal.def"
#include "string.def"
#include "sample.def"
#include "select.def"
#include "random.def"
#include "attention.def"
#include "recurrent.def"
#include "control.def"
#include "sequence.def"
#include "loss.def"
#include "resize.def"
#include "quant.def"
#include "normalize.def"
#include "microsoft.def"
#include "ml.def"
};
const int ops_count = COUNT(ops_table);
