/* ir/ops: the operators, as data. main hands this table to the context; no other room includes this file. */
#ifndef BURIN_OPS_H
#define BURIN_OPS_H

#include "op.h"

extern const Op ops_table[];
extern const int ops_count;

#endif
