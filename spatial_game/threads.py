"""NumPy's threads: one is best for matrices as small as ours."""

from __future__ import annotations

import functools
import threading
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from threadpoolctl import ThreadpoolController


def one_thread() -> AbstractContextManager[Any]:
    """Let NumPy multiply matrices in one thread within the block.

    With small matrices, its threads wait for each other most of the time: where other programs use the cores,
    a bundled pair then plays several times more slowly. Only the main thread of Python limits them: the limit
    belongs to the process, so that blocks of several threads, which overlap, would leave it behind.
    """
    if threading.current_thread() is not threading.main_thread():
        return nullcontext()
    return _controller().limit(limits=1, user_api="blas")  # type: ignore[no-any-return]


@functools.cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()  # finds NumPy's library, which takes half a millisecond
