"""peer.py BURIN MODEL.onnxtxt FOLDER CC:FLAG...: what burin makes of the model, by each compiler with the flag (and
-march=native -ffp-contract=off), against ONNX Runtime on one thread. All run in turn, round by round, in this process;
prints a line for each, "CC FLAG,RATIO": the median of the ratios of their processor times. Status 1 where outputs
differ."""
import ctypes
import os
import subprocess
import sys
import time

import numpy as np
import onnx
import onnx.parser
import onnxruntime

ROUNDS = 41
SECONDS = 2e-3      # of calls in a round, of each
burin, model, folder, *ways = sys.argv[1:]


def session():
    with open(model) as f:
        binary = onnx.parser.parse_model(f.read()).SerializeToString()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(binary, options, providers=["CPUExecutionProvider"])


def library(cc, flag, params):
    """A function (int n, void **params) that calls the model n times."""
    stem = os.path.join(folder, f"peer_{cc}{flag}")
    subprocess.run([burin, "build", model, "-o", stem + ".c", "--prefix", "peer"] +
                   os.environ.get("SPEED_OPTIONS", "").split(), check=True)
    with open(stem + "_loop.c", "w") as f:
        f.write(f'#include "{os.path.basename(stem)}.h"\n'
                "void calls(int n, void **p);\nvoid calls(int n, void **p)\n{\n"
                "    for (int i = 0; i < n; i++) peer_run(" + ", ".join(f"p[{k}]" for k in range(params)) + ");\n}\n")
    subprocess.run([cc, "-std=c99", flag, "-march=native", "-ffp-contract=off", "-shared", "-fPIC", "-o", stem + ".so",
                    stem + ".c", stem + "_loop.c", "-lm"], check=True)
    return ctypes.CDLL(stem + ".so").calls


def seconds(run, n):
    start = time.process_time()
    run(n)
    return (time.process_time() - start) / n


peer = session()
rng = np.random.default_rng(1)
feeds = {i.name: rng.standard_normal(i.shape).astype(np.float32) for i in peer.get_inputs()}
want = peer.run(None, feeds)


def peer_calls(n):
    for _ in range(n):
        peer.run(None, feeds)


runs = [peer_calls]
for way in ways:
    cc, flag = way.split(":")
    outs = [np.zeros(w.shape, w.dtype) for w in want]
    params = (ctypes.c_void_p * (len(feeds) + len(outs)))(*[a.ctypes.data for a in list(feeds.values()) + outs])
    calls = library(cc, flag, len(params))
    runs.append(lambda n, calls=calls, params=params, kept=outs: calls(n, params))
    runs[-1](1)
    for got, w in zip(outs, want):
        if not np.allclose(got, w, rtol=1e-3, atol=1e-5):
            sys.exit(f"{model}, {way}: the outputs differ by {np.abs(got - w).max()}")
counts = [max(1, int(SECONDS / seconds(run, 3))) for run in runs]
rounds = np.array([[seconds(run, n) for run, n in zip(runs, counts)] for _ in range(ROUNDS)])
for k, way in enumerate(ways):
    print(f"{way.replace(':', ' ')},{np.median(rounds[:, k + 1] / rounds[:, 0]):.3f}")
