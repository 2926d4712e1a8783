"""A llama.cpp server as a process of its own, in the environment of the proxy; it ends with its input.

`python tests/litellm/llama_child.py MODEL PORT` prints a line as soon as it answers.
"""

import sys

import xllamacpp  # type: ignore[import-not-found]  # lives in the environment of the proxy only

_CONTEXT = 4096


def _main(model: str, port: str) -> None:
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.model_alias = {"smollm2"}
    params.hostnames = ["127.0.0.1"]
    params.port = int(port)
    params.n_ctx = _CONTEXT
    params.n_parallel = 1
    # On a busy machine two threads wait for each other.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.use_jinja = True
    params.sampling.seed = 1
    params.warmup = False
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)  # noqa: T201 - a command
    sys.stdin.read()


if __name__ == "__main__":
    _main(*sys.argv[1:])
